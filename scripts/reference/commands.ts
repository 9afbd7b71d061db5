import { homedir } from 'node:os'
import type { Command } from 'commander'
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

/** Flags of all commands, described once at the top of the page. */
const common = new Set(['--base-url', '--api-key', '--data-dir'])

function describeCommand(command: Command, parent: string, depth: number): readonly string[] {
  const path = `${parent} ${command.name()}`
  const options = command.options
    .filter(({ hidden, long }) => !hidden && !(depth > 2 && common.has(long ?? '')))
    .map((option) => [`\`${option.flags}\``, option.description.replaceAll(homedir(), '~')])
  const self = page([
    `${'#'.repeat(depth)} ${path}`,
    command.description() || command.summary(),
    command.commands.length === 0 ? `\`${path} ${command.usage()}\`` : undefined,
    options.length === 0 ? undefined : table(['Option', 'Description'], options),
  ]).trimEnd()
  return [self, ...command.commands.flatMap((child) => describeCommand(child, path, depth + 1))]
}
