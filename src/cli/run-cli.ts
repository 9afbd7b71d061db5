import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { BowlineError } from '../kit/errors.ts'
import { packageVersion } from '../server/version.ts'
import { describeExitCodes, exitCodeOf, exitCodes } from './exit-codes.ts'
import { explainUsage } from './explain-usage.ts'
import { printError } from './print.ts'
import { toBowlineError } from './to-bowline-error.ts'

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

/** Every command, whole: what the reference is made from. */
export const loadCommands = async (): Promise<readonly Command[]> =>
  Promise.all(Object.values(commands).map(async ({ summary, load }) => (await load()).summary(summary)))

/** Runs one command line. Sets the exit code: 0, that of the command, or that of the error. */
export const runCli = async (args: readonly string[]): Promise<void> => {
  process.stdout.on('error', onOutputError)
  process.stderr.on('error', ignoreError)
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  let json = options.includes('--json')
  try {
    const program = await createProgram(args.find((arg) => !arg.startsWith('-')))
    configureOutput(program, {
      outputError: (text, write) => write(explainUsage(text, program, args)),
      // Commander prints its own errors, as text.
      ...(json ? { writeErr: () => undefined } : {}),
    })
    program.hook('preAction', (_program, running) => {
      json = running.opts()['json'] === true
    })
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (isClosedPipe(error)) return
    if (!(error instanceof CommanderError)) return fail(error, json)
    if (error.exitCode === 0) return
    if (json) printError(new BowlineError('USAGE_INVALID', error.message.replace(/^error: /, '')), { json })
    process.exitCode = exitCodes.usage.code
  }
}

const fail = (error: unknown, json: boolean): void => {
  printError(error, { json })
  process.exitCode = exitCodeOf(toBowlineError(error))
}

/** Whoever reads the output may have enough of it, as `head` does; what the command has begun it still brings to its end. */
const onOutputError = (error: Error): void => {
  if (isClosedPipe(error) || process.listenerCount('exit', failExit) > 0) return
  printError(new BowlineError('LOCAL_FILE_FAILED', `Standard output cannot be written: ${error.message}`))
  process.on('exit', failExit)
}

/** Whatever else came of it, its result is lost. */
const failExit = (): void => {
  process.exitCode =
    process.exitCode === undefined || process.exitCode === 0 ? exitCodes.failure.code : process.exitCode
}

const ignoreError = (): void => undefined

const isClosedPipe = (error: unknown): boolean => Error.isError(error) && 'code' in error && error.code === 'EPIPE'

const configureOutput = (command: Command, output: OutputConfiguration): void => {
  command.configureOutput(output)
  for (const child of command.commands) configureOutput(child, output)
}

const createProgram = async (chosen: string | undefined): Promise<Command> => {
  const program = new Command('bowline')
    .description('Remote browser sessions: runs the server, and uses it.')
    .version(packageVersion)
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', `\n${describeExitCodes()}\n\nWith --json, errors are one line of JSON on standard error.`)
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
