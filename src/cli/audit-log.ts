import { Command, Option } from 'commander'
import { auditActions, type AuditAction } from '../contract/audit-actions.ts'
import type { AuditEntry } from '../contract/audit-log.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printTable } from '../terminal/print.ts'
import { numberFrom } from './whole-number.ts'

interface AuditLogFlags extends ConnectionFlags {
  readonly action?: AuditAction
  readonly team?: string
  readonly limit?: number
}

/** Creates the command `bowline audit-log`. */
export function createAuditLogCommand(): Command {
  return withConnectionFlags(new Command('audit-log'))
    .description(
      'List changes to keys, teams, profiles and secrets, sessions that an admin has ended, failed authentication ' +
        'and denied access, newest first. The output is a table on a terminal, JSON lines when piped, and one JSON array with ' +
        '--json. Requires an admin key.',
    )
    .addOption(new Option('--action <name>', 'only this action').choices(auditActions))
    .option('--team <team>', 'only changes to this team, by name or id')
    .option('--limit <count>', 'maximum number of entries (default: 100)', numberFrom(1, Infinity))
    .action(listEntries)
}

async function listEntries({ action, team, limit = 100, ...flags }: AuditLogFlags): Promise<void> {
  const bowline = await createClient(flags)
  const entries: AuditEntry[] = []
  for await (const entry of bowline.auditLog({ action, team, pageSize: Math.min(limit, 1000) })) {
    entries.push(entry)
    if (entries.length >= limit) break
  }
  if (flags.json === true) printJson(entries)
  else if (process.stdout.isTTY) printTable(columns, entries.map(toRow))
  else for (const entry of entries) print(JSON.stringify(entry))
}

const columns: readonly TableColumn[] = [
  { name: 'when', shorten: 'time' },
  { name: 'action' },
  { name: 'team', shorten: 'end', dropOrder: 2 },
  { name: 'by', shorten: 'end', dropOrder: 4 },
  { name: 'from', dropOrder: 1 },
  { name: 'details', shorten: 'end', dropOrder: 3 },
]

function toRow({ createdAt, action, team, by, address, details }: AuditEntry): readonly string[] {
  const caller = by === undefined ? '' : `${by.name ?? by.keyId} (${by.team ?? 'unknown team'})`
  return [createdAt, action, team ?? '', caller, address ?? '', JSON.stringify(details)]
}
