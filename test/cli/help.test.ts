import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { helpExamples } from '../../src/cli/help-examples.ts'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { completionScript } from '../../src/terminal/completion.ts'
import { runCommand } from '../lab/run-command.ts'
import { repository } from '../lab/source-tree.ts'

let commands: readonly Command[]
beforeAll(async () => {
  commands = await loadCommands()
})

/** Finds a command by its path, such as `sessions list`. */
function find(path: string): Command | undefined {
  const [name, ...children] = path.split(' ')
  const command = commands.find((each) => each.name() === name)
  return children.reduce((found, child) => found?.commands.find((each) => each.name() === child), command)
}

/** Finds the command that a command line runs. */
function commandOf(line: string): Command | undefined {
  const [, name, ...words] = line.replace(/^.*?\(?\bbowline /, 'bowline ').split(' ')
  let found = commands.find((command) => command.name() === name)
  for (const word of words) found = found?.commands.find((child) => child.name() === word) ?? found
  return found
}

test('the examples of a command are in its help, and their flags exist', async () => {
  const help = await runCommand(['sessions', 'list', '--help'], { env: {} })

  expect(help.out).toContain('bowline sessions list --status active')
  for (const [path, examples] of Object.entries(helpExamples)) {
    expect(find(path), path).toBeDefined()
    for (const example of examples.map((line) => line.split(/ -- | \| /)[0] ?? '')) {
      expect(example).toContain(`bowline ${path}`)
      const flags = commandOf(example)?.options.map(({ long }) => long)
      for (const [flag] of example.matchAll(/--[a-z-]+/g)) expect(flags, example).toContain(flag)
    }
  }
})

function readPage(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

/** The command lines in the shell blocks and the inline code of a page. */
function commandLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  const inline = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]*)`/g)]
  return [...blocks.join('').replaceAll('\\\n', '').split('\n'), ...inline.map(([, code = '']) => code)]
    .map((line) => line.replaceAll(/"[^"]*"/g, 'TEXT'))
    .flatMap((line) => /(?:^|npx |\()bowline(?:-server)? +[a-z-][^#\\|>&]*/.exec(line) ?? [])
    .map((line) => line.slice(line.indexOf('bowline')).split(' -- ')[0] ?? '')
    .map((line) => line.replace(/^bowline-server +(?=-)/, 'bowline serve ').replace('bowline-server', 'bowline'))
    .filter((line) => !/^bowline (?:-|needs )/.test(line))
}

test('the commands and flags that the documentation names exist', () => {
  const pages = globSync('{README,SKILL,server/README,docs/*,docs/{guide,running}/*}.md', { cwd: repository })
  const lines = pages.flatMap((page) => commandLines(readPage(page)).map((line) => ({ page, line })))
  const unknown = lines.flatMap(({ page, line }) => {
    const command = commandOf(line)
    const isGroup = command !== undefined && command.commands.length > 0
    if (command === undefined || (isGroup && !line.trim().endsWith(command.name()))) return [`${page}: ${line}`]
    const flags = new Set(command.options.flatMap(({ long, short }) => [long, short]))
    const missing = [...line.matchAll(/(?<= )--?[a-z][a-z-]*/g)].filter(
      ([flag]) => flag !== '--help' && !flags.has(flag),
    )
    return missing.map(([flag]) => `${page}: ${flag} in ${line}`)
  })

  expect(lines.length).toBeGreaterThan(150)
  expect(unknown).toEqual([])
})

test('the table of the guide has every command and verb, and no others', () => {
  const rows = readPage('docs/guide/command-line.md').matchAll(/^\| `bowline ([a-z-]+) ?([a-z\\|-]*)/gm)
  const named = Map.groupBy(rows, ([, name]) => name)
  const verbsOf = (name: string) => named.get(name)?.flatMap(([, , verbs = '']) => verbs.split(String.raw`\|`)) ?? []

  expect(new Set(named.keys())).toEqual(new Set(commands.map((command) => command.name())))
  for (const group of commands.filter((command) => command.commands.length > 0)) {
    const verbs = group.commands.map((command) => command.name())
    expect(new Set(verbsOf(group.name())), group.name()).toEqual(new Set(verbs))
  }
})

/** Returns the paths of all commands, groups included. */
function pathsOf(command: Command, parents: readonly string[] = []): readonly (readonly string[])[] {
  const path = [...parents, command.name()]
  return [path, ...command.commands.flatMap((child) => pathsOf(child, path))]
}

test('the help of every command and group begins with an imperative sentence and ends with an example', async () => {
  const paths = commands.flatMap((command) => pathsOf(command))
  const lacking: string[] = []
  for (const path of paths) {
    const { out } = await runCommand([...path, '--help'], { env: {} })
    const [, description = '', rest = ''] = /^Usage: .*(?:\n .*)*\n\n(.*(?:\n.+)*)\n\n([\s\S]*)$/.exec(out) ?? []
    const isSentence = /^[A-Z][a-z-]*(?<!s)[, ]/.test(description) && /\.$|:$/.test(description.trim())
    if (!isSentence || !/^Examples?:\n.*\bbowline /m.test(rest)) lacking.push(`${path.join(' ')}: ${description}`)
  }

  expect(paths.length).toBeGreaterThan(80)
  expect(lacking).toEqual([])
})

test.each([80, 60, 40])('descriptions in the help are wrapped on a terminal of %i columns', async (columns) => {
  const paths = commands.flatMap((command) => pathsOf(command))
  const wide: string[] = []
  for (const path of paths) {
    const { lines } = await runCommand([...path, '--help'], { env: {}, isTerminal: true, columns })
    const described = lines.slice(
      0,
      lines.findIndex((line) => /^Examples?:$/.test(line)),
    )
    // A flag itself, the command line and a long word cannot be shortened.
    wide.push(
      ...described.filter((line) => line.length > columns && !/^(?:Usage:| {2}\S(?:(?! {2}).)*$| *\S+$)/.test(line)),
    )
  }

  expect(wide).toEqual([])
})

test('an unknown command version is answered with the flag', async () => {
  const { code, errors } = await runCommand(['version'], { env: {} })

  expect(errors).toBe("USAGE_INVALID: unknown command 'version' (Did you mean --version?)\n")
  expect(code).toBe(2)
})

test('the help fits a terminal of 80 columns', async () => {
  const { lines } = await runCommand(['--help'], { env: {}, isTerminal: true, columns: 80 })

  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('a former name of a command works and is not in the help', async () => {
  const help = await runCommand(['sessions', '--help'], { env: {} })
  const former = await runCommand(['sessions', 'get', '--help'], { env: {} })

  expect(help.out).toMatch(/^ {2}show \[options\] <id>/m)
  expect(help.out).not.toMatch(/\bget\b/)
  expect(former.out).toContain('Usage: bowline sessions show [options] <id>')
})

test.each([
  [['jobs', 'get', 'x'], 'show'],
  [['monitors', 'get', 'x'], 'show'],
  [['secrets', 'get', 'x'], 'show'],
  [['keys', 'delete', 'x'], 'revoke'],
  [['sessions', 'ls'], 'list'],
])('%j is answered with the verb of the command', async (args, verb) => {
  const { code, errors } = await runCommand(args, { env: {} })

  expect(errors).toBe(`USAGE_INVALID: unknown command '${args[1]}' (Did you mean ${verb}?)\n`)
  expect(code).toBe(2)
})

test('bowline help NAME prints the help of a command with its options', async () => {
  const [batch, jobs, child] = [
    await runCommand(['help', 'batch'], { env: {} }),
    await runCommand(['help', 'jobs'], { env: {} }),
    await runCommand(['help', 'jobs', 'cancel'], { env: {} }),
  ]

  expect(batch.out).toContain('--wait-for <ms>')
  expect(batch.out.replaceAll(/\s+/g, ' ')).toContain('with --json one object with all documents')
  expect(jobs.out).toContain('cancel [options] <id...>')
  expect(child.out).toContain('Usage: bowline jobs cancel [options] <id...>')
})

test('an unknown command that starts the name of another is answered with it', async () => {
  const { code, errors } = await runCommand(['audit'], { env: {} })

  expect(code).toBe(2)
  expect(errors).toContain('(Did you mean audit-log?)')
})

describe('the completion of bash', () => {
  test.each([
    ['commands', ['bowline', 'sess'], ['sessions']],
    ['commands of a command', ['bowline', 'profiles', 'ro'], ['rollback']],
    ['flags', ['bowline', 'sessions', 'list', '--st'], ['--status']],
    ['values of a flag', ['bowline', 'sessions', 'list', '--status', ''], ['active', 'destroyed', 'error', 'ended']],
    ['values of an argument', ['bowline', 'completion', ''], ['bash', 'zsh', 'fish', '--help']],
    ['programs after --', ['bowline', 'exec', '--', 'mapfil'], ['mapfile']],
    ['nothing of a command in the arguments of a program', ['bowline', 'exec', '--', 'cat', 'sess'], []],
  ])('completes %s', async (_, words, expected) => {
    const script = `${completionScript('bowline', commands, 'bash')}
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _bowline; printf '%s\\n' "\${COMPREPLY[@]}"`

    const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words])

    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(expected)
  })
})

test.each(['zsh', 'fish'] as const)('the completion of %s describes commands and flags', async (shell) => {
  const { out } = await runCommand(['completion', shell], { env: {} })

  expect(out).toContain('list sessions, newest first')
  expect(out).toContain('only sessions with this status')
})

test('the completion of zsh does not change the path, completes the program after --, and reports a lack of compinit', async () => {
  const { out } = await runCommand(['completion', 'zsh'], { env: {} })

  // `path` is tied to $PATH.
  expect(out).not.toMatch(/\blocal.* path\b|^ *path=|\) path=/m)
  // Without it, `_normal` would call this function again.
  expect(out).toMatch(/shift at words\n *\(\(CURRENT -= at\)\)\n *_normal\n/)
  expect(out).toContain('the completion needs compinit')
})

test('the completion of fish completes the program after --, and values of arguments', async () => {
  const { out } = await runCommand(['completion', 'fish'], { env: {} })

  expect(out).toContain("-x -a '(__bowline_program)'")
  expect(out).toMatch(/__bowline_path \\'completion\\''.* -a 'zsh'/)
})

test('the error for an option before its command says where to write it', async () => {
  const early = await runCommand(['--data-dir', '/nowhere', 'profiles', 'list'], { env: {} })
  const unknown = await runCommand(['profiles', 'list', '--date-dir', '/nowhere'], { env: {} })

  expect(early.errors).toContain(
    "unknown option '--data-dir' before the command: write the options of a command after its name",
  )
  expect(early.code).toBe(2)
  expect(unknown.errors).not.toContain('before the command')
})
