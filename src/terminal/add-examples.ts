import type { Command } from 'commander'

/** Adds command lines to the help of a command. Returns the command. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  const title = examples.length > 1 ? 'Examples' : 'Example'
  return command.addHelpText('after', `\n${title}:\n${examples.map((line) => `  ${line}`).join('\n')}`)
}
