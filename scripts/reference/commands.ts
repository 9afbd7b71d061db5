import { homedir } from 'node:os'
import type { Command } from 'commander'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { page, table } from './markdown.ts'

/** The page of all commands, from their own descriptions. */
export async function describeCommands(): Promise<string> {
  const commands = await loadCommands()
  return page([
    '# Command line',
    'Every command has `--help`. Those that talk to a server find it by `--base-url` and `--api-key`, by `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`, or in the data directory of a server on this machine.',
    ...commands.flatMap((command) => describeCommand(command, 'bowline', 2)),
  ])
}

/** They are the same everywhere, and said at the head of the page. */
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
    options.length === 0 ? undefined : table(['Option', ''], options),
  ]).trimEnd()
  return [self, ...command.commands.flatMap((child) => describeCommand(child, path, depth + 1))]
}
