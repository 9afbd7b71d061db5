import { Command, Option } from 'commander'
import type { KeySummary } from '../contract/keys.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printNote, printTable } from '../terminal/print.ts'

/** Creates the command `bowline keys`. */
export function createKeysCommand(): Command {
  const command = new Command('keys')
  withConnectionFlags(command.command('create').description('create a key and print it; it is shown only once'))
    .option('--name <name>', 'name of the key')
    .option('--team <team>', 'team of the key; created if it does not exist (default: your team)')
    .addOption(new Option('--role <role>', 'role of the key').choices(['admin', 'member']))
    .addOption(new Option('--mcp-tools <tools>', 'tools of `/mcp` for the key').choices(['all', 'read']))
    .option('--mcp-domains <hosts...>', 'hosts that sessions and scrapes of `/mcp` may connect to with the key')
    .action(createKey)
  withConnectionFlags(
    command.command('list').description('list the keys of your team, or of all teams with an admin key'),
  ).action(listKeys)
  withConnectionFlags(
    command
      .command('revoke')
      .description('revoke a key permanently and end the sessions it created')
      .argument('<id>', 'id of the key'),
  ).action(revokeKey)
  return command
}

interface CreateKeyFlags extends ConnectionFlags {
  readonly name?: string
  readonly team?: string
  readonly role?: 'admin' | 'member'
  readonly mcpTools?: 'all' | 'read'
  readonly mcpDomains?: readonly string[]
}

async function createKey(given: CreateKeyFlags): Promise<void> {
  const { name, team, role, mcpTools: tools, mcpDomains, ...flags } = given
  const allowedDomains = mcpDomains?.flatMap((hosts) => hosts.split(','))
  const mcp = tools === undefined && allowedDomains === undefined ? undefined : { tools, allowedDomains }
  const bowline = await createClient(flags)
  const created = await bowline.keys.create({ name, team, role, mcp })
  if (flags.json === true) return printJson(created)
  print(created.key)
  printNote(`${created.data.role} key ${created.data.id} of team ${created.data.team}. It is not shown again.`)
}

async function listKeys(flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const keys = await bowline.keys.list()
  if (flags.json === true) return printJson(keys)
  printTable(columns, keys.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'name', shorten: 'end' },
  { name: 'team', shorten: 'end', dropOrder: 6 },
  { name: 'role', dropOrder: 5 },
  { name: 'MCP', shorten: 'end', dropOrder: 2 },
  { name: 'starts with', dropOrder: 1 },
  { name: 'created', shorten: 'time', dropOrder: 3 },
  { name: 'last used', shorten: 'time', dropOrder: 4 },
  { name: 'revoked', shorten: 'time', dropOrder: 7 },
]

function toRow(key: KeySummary): readonly string[] {
  return [
    key.id,
    key.name,
    key.team,
    key.role,
    describeMcp(key),
    key.prefix,
    key.createdAt,
    key.lastUsedAt ?? 'never',
    key.revokedAt ?? (key.retiredAt === undefined ? '' : `${key.retiredAt} (retired)`),
  ]
}

function describeMcp({ mcp }: KeySummary): string {
  return [...(mcp?.tools === undefined ? [] : [mcp.tools]), ...(mcp?.allowedDomains ?? [])].join(' ')
}

async function revokeKey(id: string, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const key = await bowline.keys.revoke(id)
  if (flags.json === true) return printJson(key)
  const { mcp, ...facts } = key
  printFacts(mcp === undefined ? facts : { ...facts, mcp: describeMcp(key) })
}
