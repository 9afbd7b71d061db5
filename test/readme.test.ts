import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './lab/source-tree.ts'

function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}
const readme = readText('README.md')

function withoutComments(source: string): string {
  return source.replaceAll(/^\/\/.*\n/gm, '').trim()
}

test('the first program of the README is the first example', () => {
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const example = withoutComments(readText('examples/01-first-session.ts'))
    .replace(/^const url = .*\n/m, '')
    .replace('goto(url)', `goto('https://example.com')`)

  expect(program.trim()).toBe(example)
})

test('the README is at most 150 lines, with at most four sentences per paragraph', () => {
  const paragraphs = readme
    .replaceAll(/```[\s\S]*?```/g, '')
    .split(/\n\n|\n(?=- )/)
    .filter((text) => !text.startsWith('#'))

  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
  expect(paragraphs.filter((text) => (text.match(/[.!?](?=\s|$)/g) ?? []).length > 4)).toEqual([])
})
