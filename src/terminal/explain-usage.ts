import type { Command } from 'commander'

/** Improves Commander's usage error for a value after an option that takes none. */
export function explainUsage(text: string, program: Command, args: readonly string[]): string {
  if (!text.startsWith('error: too many arguments')) return text
  const command = findCommand(program, args)
  const index = args.findIndex((arg, at) => isFlagWithoutValue(command, arg) && isValue(args[at + 1]))
  return index === -1 ? text : `error: ${args[index]} takes no value, got ${args[index + 1]}\n`
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
