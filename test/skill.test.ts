import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { loadCommands } from '../src/cli/run-cli.ts'
import { repository } from './lab/source-tree.ts'

const read = (name: string): string => readFileSync(join(repository, name), 'utf8')

/** The command lines of `bowline` in a text, without quoted arguments. */
function commandLines(text: string): readonly string[] {
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => (quoted.includes('bowline ') ? quoted : 'QUOTED'))
  return [...unquoted.matchAll(/(?<=^|[`'"])bowline ([^`'"\n#]+)/gm)].map(([, line = '']) => line.trim())
}

/** Follows the names of a command line to its command, and returns it with its flags. */
function resolve(commands: readonly Command[], words: readonly string[]): { command?: Command; flags: string[] } {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const command = commands.find((each) => each.name() === own[0])
  const child = command?.commands.find((each) => each.name() === own[1])
  const found = child ?? command
  return { ...(found === undefined ? {} : { command: found }), flags: own.filter((word) => word.startsWith('--')) }
}

test('SKILL.md names commands and flags that exist', async () => {
  const commands = await loadCommands()
  const lines = commandLines(read('SKILL.md'))

  expect(lines.length).toBeGreaterThan(12)
  for (const line of lines) {
    const { command, flags } = resolve(commands, line.split(/\s+/))
    expect(command, line).toBeDefined()
    for (const flag of flags)
      expect(
        command?.options.map(({ long }) => long),
        line,
      ).toContain(flag)
  }
})

test('the links of llms.txt lead to files', () => {
  const links = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)

  expect(links.length).toBeGreaterThan(8)
  expect(links.filter((path) => !existsSync(join(repository, path)))).toEqual([])
})
