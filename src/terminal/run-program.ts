import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { BowlineError } from '../kit/errors.ts'
import { addExamples } from './add-examples.ts'
import { describeExitCodes, exitCodeOf, exitCodes } from './exit-codes.ts'
import { unifyHelp } from './unify-help.ts'
import { explainUsage } from './explain-usage.ts'
import { printError } from './print.ts'
import { toBowlineError } from './to-bowline-error.ts'
import { isError } from '../kit/is-error.ts'

/** A command that is loaded only when it runs. */
export interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** A command-line program with several commands. */
export interface Program {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly commands: Readonly<Record<string, CommandEntry>>
  /** Command lines that `--help` of a command shows, by its path, such as `sessions list`. */
  readonly examples?: Readonly<Record<string, readonly string[]>>
  /** Current names of commands by their former paths, such as `sessions get`. */
  readonly formerNames?: Readonly<Record<string, string>>
}

/** Runs a command line and sets the exit code: 0, that of the command, or that of the error. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  process.stdout.on('error', onOutputError)
  process.stderr.on('error', ignoreError)
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  let json = options.includes('--json')
  const isHelp = args[0] === 'help'
  const words = withCurrentNames(program, isHelp ? args.slice(1) : args)
  let command: Command | undefined
  try {
    command = await createCommand(
      program,
      words.find((arg) => !arg.startsWith('-')),
    )
    // Errors of Commander are printed below, in the form of all others.
    configureOutput(command, { outputError: ignoreError, ...(json ? { writeErr: ignoreError } : {}) })
    command.hook('preAction', (_program, running) => {
      json = running.opts()['json'] === true
    })
    await command.parseAsync(isHelp ? helpArgs(command, words) : words, { from: 'user' })
  } catch (error) {
    if (isClosedPipe(error)) return
    if (!(error instanceof CommanderError)) return fail(error, json)
    if (error.exitCode === 0) return
    // A command line without a command is answered with the help.
    if (error.code !== 'commander.help') printError(explainUsage(error, command, words), { json })
    process.exitCode = exitCodes.usage.code
  }
}

/** Replaces the former name of a command, so that old scripts work. */
function withCurrentNames({ formerNames = {} }: Program, args: readonly string[]): readonly string[] {
  const [group = '', name = '', ...others] = args
  const path = `${group} ${name}`
  const current = Object.hasOwn(formerNames, path) ? formerNames[path] : undefined
  return current === undefined ? args : [group, current, ...others]
}

/** Loads all commands of a program with their options, for the generated reference. */
export async function loadCommands({ commands }: Program): Promise<readonly Command[]> {
  return Promise.all(
    Object.values(commands).map(async ({ summary, load }) => {
      const command = (await load()).summary(summary)
      unifyHelp(command)
      return command
    }),
  )
}

async function createCommand(
  { name, description, version, commands, examples = {} }: Program,
  chosen: string | undefined,
): Promise<Command> {
  const program = new Command(name)
    .description(description)
    .version(version)
    .enablePositionalOptions()
    .addHelpText('after', `\n${describeExitCodes()}\n\nWith --json, errors are one line of JSON on standard error.`)
  throwOnExit(program)
  for (const [commandName, { summary, load }] of Object.entries(commands)) {
    const command = commandName === chosen ? await load() : new Command(commandName)
    program.addCommand(command.summary(summary))
    throwOnExit(command)
    showExamples(command, commandName, examples)
  }
  unifyHelp(program)
  return program
}

/**
 * Returns the arguments that print the help of a command, given by its path, or the error for an
 * unknown one. Commander's own `help` prints the help of the program instead of the error.
 */
function helpArgs(program: Command, path: readonly string[]): readonly string[] {
  const known: string[] = []
  let found = program
  for (const name of path) {
    if (found.commands.length === 0) break
    known.push(name)
    const child = found.commands.find((each) => each.name() === name || each.aliases().includes(name))
    if (child === undefined) return known
    found = child
  }
  return [...known, '--help']
}

function showExamples(command: Command, path: string, examples: Required<Program>['examples']): void {
  const lines = examples[path]
  if (lines !== undefined) addExamples(command, lines)
  for (const child of command.commands) showExamples(child, `${path} ${child.name()}`, examples)
}

// By default Commander calls process.exit, which skips pending cleanup.
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

/** A reader such as `head` can close the pipe early. The command then still runs to its end. */
function onOutputError(error: Error): void {
  if (isClosedPipe(error) || process.listenerCount('exit', failExit) > 0) return
  printError(new BowlineError('LOCAL_FILE_FAILED', `Cannot write to standard output: ${error.message}`))
  process.on('exit', failExit)
}

/** Reports a failure even if the command succeeds, since its output is lost. */
function failExit(): void {
  process.exitCode =
    process.exitCode === undefined || process.exitCode === 0 ? exitCodes.failure.code : process.exitCode
}

function ignoreError(): void {}

function isClosedPipe(error: unknown): boolean {
  return isError(error) && 'code' in error && error.code === 'EPIPE'
}
