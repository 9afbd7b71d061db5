import type { Command } from 'commander'

/** Rephrases a usage error of Commander where a value was given to an option that takes none. */
export function explainUsage(text: string, program: Command, args: readonly string[]): string {
  if (!text.startsWith('error: too many arguments')) return text
  const command = findCommand(program, args)
  const index = args.findIndex((arg, at) => isFlagWithoutValue(command, arg) && isValue(args[at + 1]))
  return index === -1 ? text : `error: ${args[index]} takes no value, got ${args[index + 1]}\n`
}

const findCommand = (program: Command, args: readonly string[]): Command => {
  let found = program
  for (const arg of args) found = found.commands.find((each) => each.name() === arg) ?? found
  return found
}

const isFlagWithoutValue = (command: Command, arg: string): boolean =>
  command.options.some(({ long, required, optional }) => long === arg && !required && !optional)

const isValue = (arg: string | undefined): boolean => arg !== undefined && !arg.startsWith('-')
