import { homedir } from 'node:os'
import type { Argument, Command, Option } from 'commander'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { exitCodes } from '../../src/terminal/exit-codes.ts'
import { describeParameter, examplesOf } from './commands.ts'
import { packageVersion } from '../../server/src/version.ts'

/** Generates the manual page bowline(1) in roff: every command with its options and examples. */
export async function makeManual(): Promise<string> {
  const commands = await loadCommands()
  return [
    `.TH BOWLINE 1 "" "Bowline ${packageVersion}" "User commands"`,
    '.SH NAME',
    'bowline \\- remote browser sessions that always end',
    '.SH SYNOPSIS',
    '.B bowline',
    '.I COMMAND',
    '[options]',
    '.SH DESCRIPTION',
    text('Creates remote browser sessions, scrapes and watches pages, and runs a server.'),
    text('Every command has \\fB\\-\\-help\\fR. With \\fB\\-\\-json\\fR, output and errors are JSON.', true),
    '.SH COMMANDS',
    ...commands.flatMap((command) => describeCommand(command, [])),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).flatMap(({ code, meaning }) => item(String(code), meaning)),
    ...item('128 and above', 'ended by a signal, such as 130 for Ctrl-C'),
    '.SH ENVIRONMENT',
    ...item('BOWLINE_BASE_URL', 'URL of the server'),
    ...item('BOWLINE_API_KEY', 'API key'),
    '.SH FILES',
    ...item('~/.bowline', 'data directory of a server on this machine, where commands find its URL and key'),
    '',
  ].join('\n')
}

function describeCommand(command: Command, parents: readonly string[]): readonly string[] {
  const path = [...parents, command.name()]
  const name = ['bowline', ...path].join(' ')
  const options = command.options.filter(({ hidden }) => !hidden)
  const examples = examplesOf(command, path)
  const isGroup = command.commands.length > 0
  return [
    ...(isGroup && parents.length === 0 ? [] : [`.SS ${text(isGroup ? name : `${name} ${command.usage()}`)}`]),
    ...(isGroup ? [] : [text(command.description() || command.summary())]),
    ...(isGroup ? [] : command.registeredArguments.flatMap((each) => item(each.name(), plainParameter(each)))),
    ...(isGroup ? [] : options.flatMap((option) => item(option.flags, plainParameter(option)))),
    ...(examples.length === 0 ? [] : ['.PP', '.EX', ...examples.map((line) => text(line)), '.EE']),
    ...command.commands.flatMap((child) => describeCommand(child, path)),
  ]
}

function plainParameter(parameter: Option | Argument): string {
  return describeParameter(parameter).replaceAll('`', '')
}

function item(name: string, description: string): readonly string[] {
  return ['.TP', `.B ${text(name)}`, text(description)]
}

/** Escapes a line of text for roff, on one line. Leaves font escapes if it `hasFonts`. */
function text(line: string, hasFonts = false): string {
  const plain = line.replaceAll(homedir(), '~').replaceAll(/\s*\n\s*/g, ' ')
  const escaped = hasFonts ? plain : plain.replaceAll('\\', '\\e').replaceAll('-', '\\-')
  return escaped.replace(/^(?=[.'])/, '\\&')
}
