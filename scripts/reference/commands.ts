import { homedir } from 'node:os'
import type { Argument, Command, Option } from 'commander'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { page, table } from './markdown.ts'

/** Generates the page of all commands from their descriptions. */
export async function describeCommands(): Promise<string> {
  const commands = await loadCommands()
  return page([
    '# Command line',
    'Every command has `--help`. Commands that connect to a server use `--base-url` and `--api-key`, `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`, or the data directory of a server on this machine.',
    ...commands.flatMap((command) => describeCommand(command, 'bowline', 2)),
  ])
}

/** Describes an option or an argument, with the values that it accepts. */
export function describeParameter({ description, argChoices }: Option | Argument): string {
  const choices = argChoices === undefined ? '' : ` One of: ${argChoices.map((each) => `\`${each}\``).join(', ')}`
  return `${description}${choices === '' || /[.:]$/.test(description) ? '' : '.'}${choices}`
}

function describeCommand(command: Command, parent: string, depth: number): readonly string[] {
  const path = `${parent} ${command.name()}`
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => [`\`${option.flags}\``, describeParameter(option).replaceAll(homedir(), '~')])
  const parameters = command.registeredArguments.map((each) => [`\`${each.name()}\``, describeParameter(each)])
  const self = page([
    `${'#'.repeat(depth)} ${path}`,
    command.description() || command.summary(),
    command.commands.length === 0 ? `\`${path} ${command.usage()}\`` : undefined,
    parameters.length === 0 ? undefined : table(['Argument', 'Description'], parameters),
    options.length === 0 ? undefined : table(['Option', 'Description'], options),
  ]).trimEnd()
  return [self, ...command.commands.flatMap((child) => describeCommand(child, path, depth + 1))]
}
