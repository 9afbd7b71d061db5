import { Command, InvalidArgumentError } from 'commander'
import type { CreateTeamOptions, TeamChanges, TeamSummary } from '../contract/teams.ts'
import { BowlineError } from '../kit/errors.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { printFacts, printJson, printTable } from '../terminal/print.ts'

/** Creates the command `bowline teams`. */
export function createTeamsCommand(): Command {
  const command = new Command('teams')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  add('list', 'list your team, or all teams with an admin key, with balances and limits').action(listTeams)
  withLimits(add('create', 'create a team').argument('<name>', 'name of the team'))
    .option('--credits <number>', 'balance, or "unmetered" (default: unmetered)', toLimit('unmetered'))
    .action(createTeam)
  add('set-credits', 'set the balance of a team')
    .argument('<team>', 'name or id of the team')
    .argument('<credits>', 'a whole number, or "unmetered"', toLimit('unmetered'))
    .action(async (team: string, credits: Limit, flags: ConnectionFlags) =>
      update(team, { credits: credits.at }, flags),
    )
  add('add-credits', 'add to the balance of a team')
    .argument('<team>', 'name or id of the team')
    .argument('<credits>', 'a whole number', toLimit())
    .action(async (team: string, credits: Limit, flags: ConnectionFlags) =>
      update(team, { addCredits: credits.at ?? 0 }, flags),
    )
  withLimits(add('limit', 'change the limits of a team').argument('<team>', 'name or id of the team')).action(limitTeam)
  return command
}

/** A parsed limit; `null` means unlimited. */
interface Limit {
  readonly at: number | null
}

interface LimitFlags extends ConnectionFlags {
  readonly maxConcurrency?: Limit
  readonly rateLimits?: string
}

function withLimits(command: Command): Command {
  return command
    .option(
      '--max-concurrency <number>',
      'maximum number of concurrent sessions and scrapes, or "none"',
      toLimit('none'),
    )
    .option(
      '--rate-limits <limits>',
      'requests per minute, such as x10,scrape=100; "off" for none, "default" for those of the server',
    )
}

function toLimit(word?: string) {
  return (text: string): Limit => {
    if (text === word) return { at: null }
    if (/^\d+$/.test(text)) return { at: Number(text) }
    throw new InvalidArgumentError(`It must be a whole number${word === undefined ? '' : ` or "${word}"`}.`)
  }
}

function limitsOf({ maxConcurrency, rateLimits }: LimitFlags): Pick<TeamChanges, 'maxConcurrency' | 'rateLimits'> {
  return {
    ...(maxConcurrency === undefined ? {} : { maxConcurrency: maxConcurrency.at }),
    ...(rateLimits === undefined ? {} : { rateLimits: rateLimits === 'default' ? null : rateLimits }),
  }
}

async function listTeams(flags: ConnectionFlags): Promise<void> {
  const teams = await (await createClient(flags)).teams.list()
  if (flags.json === true) return printJson(teams)
  printTable(columns, teams.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'name', shorten: 'end' },
  { name: 'credits', dropOrder: 5 },
  { name: 'reserved', dropOrder: 2 },
  { name: 'running', dropOrder: 4 },
  { name: 'max', dropOrder: 3 },
  { name: 'requests per minute', shorten: 'end', dropOrder: 1 },
  { name: 'id' },
]

function toRow(team: TeamSummary): readonly string[] {
  return [
    team.name,
    team.credits === null ? 'unmetered' : String(team.credits),
    String(team.reservedCredits),
    String(team.concurrency),
    team.maxConcurrency === null ? '' : String(team.maxConcurrency),
    team.rateLimits ?? '',
    team.id,
  ]
}

async function createTeam(
  name: string,
  { credits, ...flags }: LimitFlags & { readonly credits?: Limit },
): Promise<void> {
  const options: CreateTeamOptions = {
    name,
    ...(credits === undefined ? {} : { credits: credits.at }),
    ...limitsOf(flags),
  }
  printTeam(await (await createClient(flags)).teams.create(options), flags)
}

async function limitTeam(team: string, flags: LimitFlags): Promise<void> {
  const changes = limitsOf(flags)
  if (Object.keys(changes).length === 0) {
    throw new BowlineError('BAD_REQUEST', 'No limits were given', { hint: 'Add --max-concurrency or --rate-limits.' })
  }
  return update(team, changes, flags)
}

async function update(team: string, changes: TeamChanges, flags: ConnectionFlags): Promise<void> {
  printTeam(await (await createClient(flags)).teams.update(team, changes), flags)
}

function printTeam(team: TeamSummary, flags: ConnectionFlags): void {
  if (flags.json === true) return printJson(team)
  printFacts({
    ...team,
    credits: team.credits ?? 'unmetered',
    maxConcurrency: team.maxConcurrency ?? undefined,
    rateLimits: team.rateLimits ?? undefined,
  })
}
