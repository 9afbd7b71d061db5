import { Command, CommanderError } from 'commander'
import { packageVersion } from '../server/version.ts'
import { printError } from './print.ts'

interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** Loaded only when it is the one that runs: `bowline --help` and `exec` should not wait for the server's code. */
const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'run the server',
    load: async () => (await import('./serve-command.ts')).createServeCommand(),
  },
  demo: {
    summary: 'drive a page with Playwright and with Puppeteer on a server of its own',
    load: async () => (await import('./demo-command.ts')).createDemoCommand(),
  },
  doctor: {
    summary: 'tell what this machine has and lacks',
    load: async () => (await import('./doctor.ts')).createDoctorCommand(),
  },
  exec: {
    summary: 'run a command of any language on a session of its own',
    load: async () => (await import('./exec.ts')).createExecCommand(),
  },
  scrape: {
    summary: 'print a page as Markdown, HTML, links or data',
    load: async () => (await import('./scrape.ts')).createScrapeCommand(),
  },
  extract: {
    summary: 'have a language model extract data from pages',
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
    summary: 'search the web, or the pages that were scraped',
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
    summary: 'list, show and repeat what was sent to webhooks',
    load: async () => (await import('./webhooks.ts')).createWebhooksCommand(),
  },
  usage: {
    summary: 'show what the team used, month by month, and has left',
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

const usageErrorCode = 2

/** Every command, whole: what the reference is made from. */
export const loadCommands = async (): Promise<readonly Command[]> =>
  Promise.all(Object.values(commands).map(async ({ summary, load }) => (await load()).summary(summary)))

/** Runs one command line. Sets the exit code: 0, that of the command, 1 for an error, 2 for a wrong command line. */
export const runCli = async (args: readonly string[]): Promise<void> => {
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreClosedPipe)
  try {
    const program = await createProgram(args.find((arg) => !arg.startsWith('-')))
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : usageErrorCode
      return
    }
    if (isClosedPipe(error)) return
    printError(error)
    process.exitCode = 1
  }
}

/** Whoever reads the output may have enough of it, as `head` does; what the command has begun it still brings to its end. */
const ignoreClosedPipe = (error: Error): void => {
  if (!isClosedPipe(error)) throw error
}

const isClosedPipe = (error: unknown): boolean => Error.isError(error) && 'code' in error && error.code === 'EPIPE'

const createProgram = async (chosen: string | undefined): Promise<Command> => {
  const program = new Command('bowline')
    .description('Remote browser sessions: the server, and hands to use it.')
    .version(packageVersion)
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
  throwOnExit(program)
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = name === chosen ? await load() : new Command(name)
    program.addCommand(command.summary(summary))
    throwOnExit(command)
  }
  return program
}

// Commander would call process.exit, which skips what is still to be undone.
const throwOnExit = (command: Command): void => {
  command.exitOverride()
  for (const child of command.commands) throwOnExit(child)
}
