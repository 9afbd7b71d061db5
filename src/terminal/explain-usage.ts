import type { Command, CommanderError } from 'commander'
import { closest } from '../kit/closest.ts'
import { BowlineError } from '../kit/errors.ts'

/**
 * Converts a usage error of Commander to USAGE_INVALID, with its suggestion as the hint. Improves
 * those for a value after an option that takes none, for an option of a command that precedes it,
 * for an invalid argument, for the start or a synonym of the name of a command, and for an unknown
 * command where a default one exists.
 */
export function explainUsage(
  error: CommanderError,
  program: Command | undefined,
  args: readonly string[],
): BowlineError {
  const text = error.message.replace(/^error: /, '')
  const { message, hint } = splitHint(program === undefined ? text : explain(text, program, args))
  return new BowlineError('USAGE_INVALID', message, hint === undefined ? {} : { hint })
}

function splitHint(text: string): { readonly message: string; readonly hint?: string } {
  const [, message, hint] = /^(.*)\n\((Did you mean .*\?)\)$/s.exec(text.trim()) ?? []
  return message === undefined || hint === undefined ? { message: text.trim() } : { message, hint }
}

function explain(text: string, program: Command, args: readonly string[]): string {
  const invalid = /^command-argument value '(.*)' is invalid for argument '(.+?)'\./s.exec(text)
  if (invalid !== null) return text.replace(invalid[0], `'${invalid[1]}' is invalid for <${invalid[2]}>.`)
  const command = findCommand(program, args)
  const unknown = /^unknown command '(.+)'(\n.*)?$/s.exec(text)
  if (unknown?.[1] !== undefined) return unknownCommand(command, unknown[1], unknown[2])
  const option = /^unknown option '(--[^=']+)/.exec(text)?.[1]
  if (option !== undefined && precedesCommand(program, args, option)) {
    return `unknown option '${option}' before the command: write the options of a command after its name`
  }
  if (!text.startsWith('too many arguments')) return text
  const index = args.findIndex((arg, at) => isFlagWithoutValue(command, arg) && isValue(args[at + 1]))
  if (index !== -1) return `${args[index]} takes no value, got ${args[index + 1]}`
  const given = args[args.indexOf(command.name()) + 1]
  return command.commands.length === 0 || given === undefined ? text : unknownCommand(command, given)
}

/** Names of commands and flags by other words for them. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  get: ['show'],
  view: ['show'],
  info: ['show'],
  ls: ['list'],
  rm: ['delete', 'revoke'],
  remove: ['delete', 'revoke'],
  delete: ['revoke'],
  add: ['create', 'upload', 'set'],
  version: ['--version'],
}

/** Formats the error for an unknown command. `found` is the suggestion of Commander. */
function unknownCommand(command: Command, given: string, found = ''): string {
  const names = command.commands.map((each) => each.name())
  const known = new Set<string | undefined>([...names, ...command.options.map(({ long }) => long)])
  const synonym = (Object.hasOwn(synonyms, given) ? synonyms[given] : undefined)?.find((each) => known.has(each))
  const similar = synonym ?? (found === '' ? closest(given, names) : undefined)
  const starting = names.filter((name) => name.startsWith(given))
  const suggested = similar === undefined ? starting.join(' or ') : similar
  const suggestion = suggested === '' ? found : `\n(Did you mean ${suggested}?)`
  return `unknown command '${given}'${suggestion}`
}

function findCommand(program: Command, args: readonly string[]): Command {
  let found = program
  for (const arg of args) found = found.commands.find((each) => each.name() === arg) ?? found
  return found
}

/** Whether an option is given before the name of a command. */
function precedesCommand(program: Command, args: readonly string[], option: string): boolean {
  const at = args.findIndex((arg) => program.commands.some((each) => each.name() === arg))
  return args.slice(0, Math.max(0, at)).some((arg) => arg.split('=')[0] === option)
}

function isFlagWithoutValue(command: Command, arg: string): boolean {
  return command.options.some(({ long, required, optional }) => long === arg && !required && !optional)
}

function isValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('-')
}
