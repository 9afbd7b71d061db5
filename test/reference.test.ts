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
  // A comment whose declaration is missing.
  expect(pages['docs/reference/client.md']).not.toMatch(/ \*\/\n+```/)
})
