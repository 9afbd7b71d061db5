import { homedir } from 'node:os'
import type { Argument, Command, Option } from 'commander'
import { helpExamples } from '../../src/cli/help-examples.ts'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { addedExamples } from '../../src/terminal/add-examples.ts'
import { page, table } from './markdown.ts'

/** Generates the page of all commands from their descriptions and examples. */
export async function describeCommands(): Promise<string> {
  const commands = await loadCommands()
  return page([
    '# Command line',
    'Every command has `--help`. Commands that connect to a server use `--base-url` and `--api-key`, `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`, or the data directory of a server on this machine.',
    ...commands.flatMap((command) => describeCommand(command, [], 2)),
  ])
}

/** Describes an option or an argument, with the values that it accepts. */
export function describeParameter({ description, argChoices }: Option | Argument): string {
  const choices = argChoices === undefined ? '' : ` One of: ${argChoices.map((each) => `\`${each}\``).join(', ')}`
  return `${description}${choices === '' || /[.:]$/.test(description) ? '' : '.'}${choices}`
}

/** The examples in the help of a command. Those of a group are among those of its commands. */
export function examplesOf(command: Command, path: readonly string[]): readonly string[] {
  if (command.commands.length > 0) return []
  return addedExamples(command) ?? helpExamples[path.join(' ')] ?? []
}

function describeCommand(command: Command, parents: readonly string[], depth: number): readonly string[] {
  const path = [...parents, command.name()]
  const name = ['bowline', ...path].join(' ')
  const isGroup = command.commands.length > 0
  const examples = examplesOf(command, path)
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => [`\`${option.flags}\``, describeParameter(option).replaceAll(homedir(), '~')])
  const parameters = command.registeredArguments.map((each) => [`\`${each.name()}\``, describeParameter(each)])
  const self = page([
    `${'#'.repeat(depth)} ${name}`,
    command.description() || command.summary(),
    isGroup ? undefined : `\`${name} ${command.usage()}\``,
    examples.length === 0 ? undefined : `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    parameters.length === 0 ? undefined : table(['Argument', 'Description'], parameters),
    options.length === 0 ? undefined : table(['Option', 'Description'], options),
  ]).trimEnd()
  return [self, ...command.commands.flatMap((child) => describeCommand(child, path, depth + 1))]
}
