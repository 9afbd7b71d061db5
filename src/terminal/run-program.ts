import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { BowlineError } from '../kit/errors.ts'
import { describeExitCodes, exitCodeOf, exitCodes } from './exit-codes.ts'
import { explainUsage } from './explain-usage.ts'
import { printError } from './print.ts'
import { toBowlineError } from './to-bowline-error.ts'
import { isError } from '../kit/is-error.ts'

/** A command that is loaded only when it runs. */
export interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** A program of several commands. */
export interface Program {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly commands: Readonly<Record<string, CommandEntry>>
}

/** Runs one command line. Sets the exit code: 0, that of the command, or that of the error. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  process.stdout.on('error', onOutputError)
  process.stderr.on('error', ignoreError)
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  let json = options.includes('--json')
  try {
    const command = await createCommand(
      program,
      args.find((arg) => !arg.startsWith('-')),
    )
    configureOutput(command, {
      outputError: (text, write) => write(explainUsage(text, command, args)),
      // Commander prints its own errors, as text.
      ...(json ? { writeErr: () => undefined } : {}),
    })
    command.hook('preAction', (_program, running) => {
      json = running.opts()['json'] === true
    })
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (isClosedPipe(error)) return
    if (!(error instanceof CommanderError)) return fail(error, json)
    if (error.exitCode === 0) return
    if (json) printError(new BowlineError('USAGE_INVALID', error.message.replace(/^error: /, '')), { json })
    process.exitCode = exitCodes.usage.code
  }
}

/** Every command of a program with its options: the source of the reference. */
export async function loadCommands({ commands }: Program): Promise<readonly Command[]> {
  return Promise.all(Object.values(commands).map(async ({ summary, load }) => (await load()).summary(summary)))
}

async function createCommand(
  { name, description, version, commands }: Program,
  chosen: string | undefined,
): Promise<Command> {
  const program = new Command(name)
    .description(description)
    .version(version)
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', `\n${describeExitCodes()}\n\nWith --json, errors are one line of JSON on standard error.`)
  throwOnExit(program)
  for (const [commandName, { summary, load }] of Object.entries(commands)) {
    const command = commandName === chosen ? await load() : new Command(commandName)
    program.addCommand(command.summary(summary))
    throwOnExit(command)
  }
  return program
}

// Commander would call process.exit, which skips pending clean-up.
function throwOnExit(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) throwOnExit(child)
}

function configureOutput(command: Command, output: OutputConfiguration): void {
  command.configureOutput(output)
  for (const child of command.commands) configureOutput(child, output)
}

function fail(error: unknown, json: boolean): void {
  printError(error, { json })
  process.exitCode = exitCodeOf(toBowlineError(error))
}

/** A reader such as `head` may close the pipe early; the command still finishes what it started. */
function onOutputError(error: Error): void {
  if (isClosedPipe(error) || process.listenerCount('exit', failExit) > 0) return
  printError(new BowlineError('LOCAL_FILE_FAILED', `Standard output cannot be written: ${error.message}`))
  process.on('exit', failExit)
}

/** The command's result is lost, whatever its own exit code. */
function failExit(): void {
  process.exitCode =
    process.exitCode === undefined || process.exitCode === 0 ? exitCodes.failure.code : process.exitCode
}

function ignoreError(): void {}

function isClosedPipe(error: unknown): boolean {
  return isError(error) && 'code' in error && error.code === 'EPIPE'
}
