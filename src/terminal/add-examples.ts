import type { Command } from 'commander'

const added = new WeakMap<Command, readonly string[]>()

/** Adds command lines to the help of a command. Returns the command. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  added.set(command, examples)
  const title = examples.length > 1 ? 'Examples' : 'Example'
  return command.addHelpText('after', `\n${title}:\n${examples.map((line) => `  ${line}`).join('\n')}`)
}

/** Returns the examples that were added to the help of a command. */
export function addedExamples(command: Command): readonly string[] | undefined {
  return added.get(command)
}
