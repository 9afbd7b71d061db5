import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeReference } from '../scripts/reference/make-reference.ts'
import { repository } from './lab/source-tree.ts'

test('the reference matches the code (`npm run docs` writes it)', async () => {
  const pages = await makeReference()

  for (const [name, text] of Object.entries(pages)) {
    expect(await readFile(join(repository, name), 'utf8'), name).toBe(text)
  }
  // The formats are those of a scrape, and the options of a server those of its settings.
  const client = pages['docs/reference/client.md'] ?? ''
  const hidden = client.matchAll(
    /^### (\w+)\n\n```ts\n(?:(?!```)[\s\S])*z\.(?:in|out)put<[^`]*```\n\n(?!\||Values: )/gm,
  )
  expect([...hidden].map(([, name]) => name)).toEqual(['FormatInput', 'ServerOptions'])
  expect(client).toMatch(/^### Profile\n(?:(?!###)[\s\S])*^\| `name` \| string 1–128 \|/m)
  const commands = pages['docs/reference/command-line.md']
  expect(commands).toMatch(/`--save-profile <when>` \|.*One of: `always`, `on-success`, `never`/)
  expect(commands).toMatch(/^\| `file` \|.*standard input/m)
  // Each command that is no group has its usage and examples.
  const usages = commands?.split(/^#+ /m).filter((section) => /^`bowline /m.test(section)) ?? []
  expect(usages.filter((section) => !/^```sh\n.*bowline /m.test(section))).toEqual([])
  expect(pages['man/bowline.1']?.match(/^\.EX$/gm)).toHaveLength(usages.length)
  // A comment whose declaration is missing.
  expect(pages['docs/reference/client.md']).not.toMatch(/ \*\/\n+```/)
})
