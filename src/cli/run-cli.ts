import type { Command } from 'commander'
import { loadServer } from '../client/load-server.ts'
import { loadCommands as loadAll, runProgram, type Program } from '../terminal/run-program.ts'
import { packageVersion } from '../version.ts'

/** Runs one command line. Sets the exit code: 0, that of the command, or that of the error. */
export async function runCli(args: readonly string[]): Promise<void> {
  await runProgram(program, args)
}

/** Loads every command with its options: the source of the reference. */
export async function loadCommands(): Promise<readonly Command[]> {
  return loadAll(program)
}

/** The commands that come with the package bowline-server. */
interface ServerCommands {
  readonly createServeCommand: () => Command
  readonly createDoctorCommand: () => Command
}

const commands: Program['commands'] = {
  serve: {
    summary: 'run the server (needs the package bowline-server)',
    load: async () => (await loadServer<ServerCommands>('bowline-server/cli')).createServeCommand(),
  },
  demo: {
    summary: 'drive a page with Playwright and with Puppeteer on a server of its own',
    load: async () => (await import('./demo-command.ts')).createDemoCommand(),
  },
  doctor: {
    summary: 'show what this machine has and lacks',
    load: async () => (await loadServer<ServerCommands>('bowline-server/cli')).createDoctorCommand(),
  },
  exec: {
    summary: 'run a command in any language with a session of its own',
    load: async () => (await import('./exec.ts')).createExecCommand(),
  },
  scrape: {
    summary: 'print a page as Markdown, HTML, links or data',
    load: async () => (await import('./scrape.ts')).createScrapeCommand(),
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
    summary: 'scrape the pages of a site, following its links',
    load: async () => (await import('./crawl.ts')).createCrawlCommand(),
  },
  search: {
    summary: 'search the web or the scraped pages',
    load: async () => (await import('./search.ts')).createSearchCommand(),
  },
  map: {
    summary: 'list the pages of a site',
    load: async () => (await import('./map.ts')).createMapCommand(),
  },
  sessions: {
    summary: 'list, read, delete and reap sessions',
    load: async () => (await import('./sessions.ts')).createSessionsCommand(),
  },
  profiles: {
    summary: 'list, show, roll back, delete, export and import profiles',
    load: async () => (await import('./profiles.ts')).createProfilesCommand(),
  },
  monitors: {
    summary: 'watch pages on a schedule, and show what changed',
    load: async () => (await import('./monitors.ts')).createMonitorsCommand(),
  },
  webhooks: {
    summary: 'list, show and repeat webhook deliveries',
    load: async () => (await import('./webhooks.ts')).createWebhooksCommand(),
  },
  usage: {
    summary: 'show the credits used by month and the balance',
    load: async () => (await import('./usage.ts')).createUsageCommand(),
  },
  activity: {
    summary: 'list the jobs of the last 24 hours',
    load: async () => (await import('./activity.ts')).createActivityCommand(),
  },
  teams: {
    summary: 'list and create teams, set balances and limits',
    load: async () => (await import('./teams.ts')).createTeamsCommand(),
  },
  keys: {
    summary: 'create, list and revoke API keys',
    load: async () => (await import('./keys.ts')).createKeysCommand(),
  },
}

const program: Program = {
  name: 'bowline',
  description: 'Remote browser sessions: uses a Bowline server, and runs one.',
  version: packageVersion,
  commands,
}
