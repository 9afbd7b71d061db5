import { Command, Option } from 'commander'
import {
  endReason,
  everyTeam,
  listedStatus,
  type EndReason,
  type ListedStatus,
  type SessionSummary,
} from '../contract/browser.ts'
import { endReasonTitles } from '../contract/titles.ts'
import { isBowlineError } from '../kit/errors.ts'
import type { ReapReport } from '../client/reap-sessions.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { describeBill } from './describe-bill.ts'
import { createSessionFilesCommand } from './session-files.ts'
import { createSessionHandoffCommand } from './session-handoff.ts'
import { createUpdateCommand } from './session-update.ts'
import { createSessionExecuteCommand } from './session-execute.ts'
import { createSessionScrapeCommand } from './session-scrape.ts'
import { describeStatus, sessionFacts } from './session-facts.ts'
import { labelsOf, withLabelFlags, type LabelFlags } from './session-labels.ts'
import { showRecordings, withRecordingFlags } from './session-recordings.ts'
import { wholeNumber } from './whole-number.ts'
import { exitCodeOf } from '../terminal/exit-codes.ts'
import { toBowlineError } from '../terminal/to-bowline-error.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printError, printFacts, printJson, printTable } from '../terminal/print.ts'

/** Creates the command `bowline sessions`. */
export function createSessionsCommand(): Command {
  const command = new Command('sessions')
  const listCommand = withConnectionFlags(command.command('list').description('list sessions, newest first'))
  withLabelFlags(listCommand, { name: 'only sessions with this name', metadata: 'only sessions with this metadata' })
    .addOption(new Option('--status <status>', 'only sessions with this status').choices(listedStatus.options))
    .addOption(
      new Option('--reason <reason>', `only sessions that ended for this reason: ${describeReasons()}`).choices(
        endReason.options,
      ),
    )
    .option('--profile <name>', 'only sessions with this profile')
    .option('--by-key <key>', 'only sessions created with this API key, by name or id')
    .option(
      '--search <text>',
      'only sessions with this text in their name, profile or metadata, or at the start of their id',
    )
    .option('--limit <count>', 'maximum number of sessions (default: 1000)', wholeNumber)
    .option('--team <team>', 'sessions of another team, by name or id (admin keys only)')
    .addOption(new Option('--all-teams', 'sessions of all teams (admin keys only)').conflicts('team'))
    .action(listSessions)
  withConnectionFlags(
    command.command('show').description('show one session').argument('<id>', 'id of the session'),
  ).action(getSession)
  command.addCommand(createUpdateCommand())
  withConnectionFlags(
    command.command('delete').description('delete sessions').argument('<id...>', 'ids of sessions'),
  ).action(deleteSessions)
  withConnectionFlags(
    command.command('reap').description('delete sessions left behind by killed programs on this machine'),
  )
    .option('--session-dir <path>', 'folder of the session markers (default: ~/.bowline/leases)')
    .addOption(new Option('--lease-dir <path>', 'former name of --session-dir').hideHelp())
    .action(reapSessions)
  withConnectionFlags(
    withRecordingFlags(command.command('recordings').description('list or save the recordings of an ended session')),
  ).action(showRecordings)
  command.addCommand(createSessionFilesCommand())
  command.addCommand(createSessionScrapeCommand())
  command.addCommand(createSessionExecuteCommand())
  command.addCommand(createSessionHandoffCommand())
  return command
}

function describeReasons(): string {
  return endReason.options
    .map((reason) => (reason === endReasonTitles[reason] ? reason : `${reason} (${endReasonTitles[reason]})`))
    .join(', ')
}

interface ListFlags extends ConnectionFlags, LabelFlags {
  readonly status?: ListedStatus
  readonly reason?: EndReason
  readonly profile?: string
  readonly byKey?: string
  readonly search?: string
  readonly limit?: number
  readonly team?: string
  readonly allTeams?: boolean
}

async function listSessions({
  status,
  reason,
  profile,
  byKey,
  search,
  limit,
  team: named,
  allTeams,
  ...flags
}: ListFlags): Promise<void> {
  const bowline = await createClient(flags)
  const team = allTeams === true ? everyTeam : named
  const sessions = await bowline.sessions.list({
    ...(status === undefined ? {} : { status }),
    endReason: reason,
    profile,
    key: byKey,
    search,
    limit,
    ...(team === undefined ? {} : { team }),
    ...labelsOf(flags),
  })
  if (flags.json === true) return printJson(sessions)
  if (team === undefined) return printTable(columns, sessions.map(toRow))
  printTable(
    [...columns, { name: 'team', shorten: 'end', dropOrder: 4 }],
    sessions.map((session) => toRow(session).concat(session.team ?? '')),
  )
}

const columns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'name', shorten: 'end', dropOrder: 6 },
  { name: 'status', dropOrder: 5 },
  { name: 'created', shorten: 'time', dropOrder: 3 },
  { name: 'expires', shorten: 'time', dropOrder: 1 },
  { name: 'credits', dropOrder: 2 },
]

function toRow(session: SessionSummary): readonly string[] {
  return [
    session.id,
    shorten(session.name ?? ''),
    describeStatus(session),
    session.createdAt ?? '',
    session.expiresAt ?? '',
    session.creditsBilled === undefined ? '' : String(session.creditsBilled),
  ]
}

const maxShownName = 40

function shorten(name: string): string {
  return name.length <= maxShownName ? name : `${name.slice(0, maxShownName - 1)}…`
}

async function getSession(id: string, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const session = await bowline.sessions.get(id)
  if (flags.json === true) return printJson(session)
  printFacts(sessionFacts(session))
}

async function deleteSessions(ids: readonly string[], flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const bills = []
  for (const id of ids) {
    try {
      const bill = await bowline.sessions.delete(id)
      bills.push(bill)
      if (flags.json !== true) print(describeBill(bill))
    } catch (error) {
      // A failed deletion must not prevent the others.
      printError(error, flags)
      process.exitCode = exitCodeOf(toBowlineError(error))
    }
  }
  if (flags.json === true) printJson(bills)
}

interface ReapFlags extends ConnectionFlags {
  readonly sessionDir?: string
  readonly leaseDir?: string
}

async function reapSessions(flags: ReapFlags): Promise<void> {
  const bowline = await createClient(flags, { sessionDir: flags.sessionDir ?? flags.leaseDir })
  const report = await bowline.sessions.reap()
  if (report.failed.length > 0) process.exitCode = 1
  if (flags.json === true) return printJson({ ...report, failed: report.failed.map(toFailure) })
  for (const { error } of report.failed) printError(error)
  print(
    `${report.deleted.length} deleted, ${report.failed.length} failed, ${report.skipped.length} skipped (other servers)`,
  )
}

function toFailure({ id, error }: ReapReport['failed'][number]) {
  return {
    id,
    ...(isBowlineError(error) ? { code: error.code, error: error.message } : { error: String(error) }),
  }
}
