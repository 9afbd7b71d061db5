import type { Command } from 'commander'
import { closest } from '../kit/closest.ts'

/**
 * Improves Commander's usage errors for a value after an option that takes none, for an invalid
 * argument, for the start of the name of a command, and for an unknown command where a default one
 * exists.
 */
export function explainUsage(text: string, program: Command, args: readonly string[]): string {
  const invalid = /^error: command-argument value '(.*)' is invalid for argument '(.+?)'\./s.exec(text)
  if (invalid !== null) return text.replace(invalid[0], `error: '${invalid[1]}' is invalid for <${invalid[2]}>.`)
  const unknown = /^error: unknown command '(.+)'\n$/.exec(text)?.[1]
  if (unknown !== undefined) return `${text}${suggestCommand(findCommand(program, args), unknown)}`
  if (!text.startsWith('error: too many arguments')) return text
  const command = findCommand(program, args)
  const index = args.findIndex((arg, at) => isFlagWithoutValue(command, arg) && isValue(args[at + 1]))
  if (index !== -1) return `error: ${args[index]} takes no value, got ${args[index + 1]}\n`
  const names = command.commands.map((each) => each.name())
  const given = args[args.indexOf(command.name()) + 1]
  if (names.length === 0 || given === undefined) return text
  const similar = closest(given, names)
  const suggestion = similar === undefined ? suggestCommand(command, given) : `(Did you mean ${similar}?)\n`
  return `error: unknown command '${given}'\n${suggestion}`
}

/** Commander itself suggests names with a few other letters. */
function suggestCommand({ commands }: Command, start: string): string {
  const names = commands.map((command) => command.name()).filter((name) => name.startsWith(start))
  return names.length === 0 ? '' : `(Did you mean ${names.join(' or ')}?)\n`
}

function findCommand(program: Command, args: readonly string[]): Command {
  let found = program
  for (const arg of args) found = found.commands.find((each) => each.name() === arg) ?? found
  return found
}

function isFlagWithoutValue(command: Command, arg: string): boolean {
  return command.options.some(({ long, required, optional }) => long === arg && !required && !optional)
}

function isValue(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith('-')
}
