import type { Command } from 'commander'
import { loadServer } from '../client/load-server.ts'
import { loadCommands as loadAll, runProgram, type Program } from '../terminal/run-program.ts'
import { helpExamples } from './help-examples.ts'
import { packageVersion } from '../version.ts'

/** Runs a command line of `bowline` and sets the exit code of the process. */
export async function runCli(args: readonly string[]): Promise<void> {
  await runProgram(program, args)
}

/** Loads all commands with their options, for the generated reference. */
export async function loadCommands(): Promise<readonly Command[]> {
  return loadAll(program)
}

/** Commands of the package `bowline-server`. */
interface ServerCommands {
  readonly createServeCommand: () => Command
  readonly createDoctorCommand: () => Command
  readonly createBackupCommand: () => Command
  readonly createRestoreCommand: () => Command
  readonly createMoveCommand: () => Command
}

async function loadServerCommand(name: keyof ServerCommands): Promise<Command> {
  return (await loadServer<ServerCommands>('bowline-server/commands'))[name]()
}

const commands: Program['commands'] = {
  serve: {
    summary: 'run the server (requires the package bowline-server)',
    load: async () => loadServerCommand('createServeCommand'),
  },
  demo: {
    summary: 'drive a page with Playwright and Puppeteer on a temporary server',
    load: async () => (await import('./demo-command.ts')).createDemoCommand(),
  },
  doctor: {
    summary: 'check the browsers, isolation, data directory and database of this machine',
    load: async () => loadServerCommand('createDoctorCommand'),
  },
  backup: {
    summary: 'back up the database, blobs and keys of a server, running or not',
    load: async () => loadServerCommand('createBackupCommand'),
  },
  restore: {
    summary: 'restore a stopped server from a backup',
    load: async () => loadServerCommand('createRestoreCommand'),
  },
  move: {
    summary: 'copy the embedded database of a stopped server to PostgreSQL',
    load: async () => loadServerCommand('createMoveCommand'),
  },
  exec: {
    summary: 'run a command, in any language, with a session',
    load: async () => (await import('./exec.ts')).createExecCommand(),
  },
  mcp: {
    summary: 'serve MCP on standard input and output: browser, scraping and search tools for agents',
    load: async () => (await import('./mcp.ts')).createMcpCommand(),
  },
  scrape: {
    summary: 'scrape a page and print it as Markdown, HTML, links or JSON',
    load: async () => (await import('./scrape.ts')).createScrapeCommand(),
  },
  parse: {
    summary: 'convert a file, such as a PDF or an office document, and print it as Markdown, HTML or JSON',
    load: async () => (await import('./parse.ts')).createParseCommand(),
  },
  agent: {
    summary: 'let a language model do a task on the web',
    load: async () => (await import('./agent.ts')).createAgentCommand(),
  },
  extract: {
    summary: 'extract data from pages with a language model',
    load: async () => (await import('./extract.ts')).createExtractCommand(),
  },
  batch: {
    summary: 'scrape many pages as one job',
    load: async () => (await import('./batch.ts')).createBatchCommand(),
  },
  crawl: {
    summary: 'scrape the pages of a site',
    load: async () => (await import('./crawl.ts')).createCrawlCommand(),
  },
  search: {
    summary: 'search the web or scraped pages',
    load: async () => (await import('./search.ts')).createSearchCommand(),
  },
  map: {
    summary: 'list the pages of a site',
    load: async () => (await import('./map.ts')).createMapCommand(),
  },
  sessions: {
    summary: 'list, show, delete and reap sessions, and transfer their files',
    load: async () => (await import('./sessions.ts')).createSessionsCommand(),
  },
  extensions: {
    summary: 'upload, list, show and delete browser extensions for sessions',
    load: async () => (await import('./extensions.ts')).createExtensionsCommand(),
  },
  secrets: {
    summary: 'set, list, show and delete secrets that sessions type by name',
    load: async () => (await import('./secrets.ts')).createSecretsCommand(),
  },
  profiles: {
    summary: 'list, show, roll back, delete, export and import profiles',
    load: async () => (await import('./profiles.ts')).createProfilesCommand(),
  },
  jobs: {
    summary: 'list, show and cancel batches, crawls, extractions and agents, and print their documents',
    load: async () => (await import('./jobs.ts')).createJobsCommand(),
  },
  monitors: {
    summary: 'check pages for changes on a schedule',
    load: async () => (await import('./monitors.ts')).createMonitorsCommand(),
  },
  webhooks: {
    summary: 'list, show and resend webhook deliveries',
    load: async () => (await import('./webhooks.ts')).createWebhooksCommand(),
  },
  usage: {
    summary: 'show used credits by month and the balance',
    load: async () => (await import('./usage.ts')).createUsageCommand(),
  },
  activity: {
    summary: 'list the API calls of the last 24 hours that started work',
    load: async () => (await import('./activity.ts')).createActivityCommand(),
  },
  'audit-log': {
    summary: 'list changes to keys, teams, profiles and secrets, failed authentication and denied access',
    load: async () => (await import('./audit-log.ts')).createAuditLogCommand(),
  },
  teams: {
    summary: 'list and create teams, and set balances and limits',
    load: async () => (await import('./teams.ts')).createTeamsCommand(),
  },
  keys: {
    summary: 'create, list and revoke API keys',
    load: async () => (await import('./keys.ts')).createKeysCommand(),
  },
  completion: {
    summary: 'print a script that completes commands and flags in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).createCompletionCommand(loadCommands),
  },
}

const program: Program = {
  name: 'bowline',
  description: 'Remote browser sessions, scraping and monitors. Connects to a Bowline server or runs one.',
  version: packageVersion,
  commands,
  examples: helpExamples,
  formerNames: { 'sessions get': 'show' },
}
