import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './lab/source-tree.ts'

const text = await readFile(join(repository, 'docs/flows.md'), 'utf8')
const [, architecture = '', ...flows] = text.split(/^## /m)

test('the folders of the architecture exist', () => {
  const folders = [...architecture.matchAll(/`([^`\s]+\/)`/g)].map((match) => match[1] ?? '')

  expect(architecture).toMatch(/^Architecture$/m)
  expect(folders.length).toBeGreaterThan(15)
  expect(folders.filter((folder) => !existsSync(join(repository, folder)))).toEqual([])
})

test('the documentation describes five flows', () => {
  expect(flows).toHaveLength(5)
})

test.each(flows.map((flow) => [flow.split('\n', 1)[0] ?? '', flow] as const))('the files of %s exist', (_, flow) => {
  const files = [...flow.matchAll(/^\d+\. `([^`]+)`/gm)].map((match) => match[1] ?? '')

  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([])
})
