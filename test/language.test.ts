import { expect, test } from 'vitest'
import { findBannedNames, findDocFlaws, type Finding } from './lab/language.ts'
import { readSourceFiles } from './lab/source-tree.ts'

const files = [
  ...readSourceFiles('{src,server/src,server/dashboard,server/test,test,examples}/**/*.{ts,tsx}'),
  ...readSourceFiles('scripts/**/*.{ts,mjs}'),
].filter(({ path }) => !/^test\/lab\/language|^test\/language|\/migrations\//.test(path))

const findAll = (find: (source: string) => readonly Finding[]): readonly string[] =>
  files.flatMap(({ path, text }) => find(text).map((found) => `${path}:${found.line}: ${found.text.trim()}`))

test('names are terms of the field', () => {
  expect(findAll(findBannedNames)).toEqual([])
})

test('doc comments begin with a verb or a term, never with "What", and fit into 100 columns', () => {
  expect(findAll(findDocFlaws)).toEqual([])
})

test('the rules detect violations', () => {
  const source = `/** What a lane is. */\nexport const lane = (world: Lane): string => 'Shelf' // bell\n  /** ${'x'.repeat(100)} */`

  expect(findBannedNames(source).map(({ text }) => text)).toEqual(['world', 'Lane'])
  expect(findDocFlaws(source).map(({ line }) => line)).toEqual([1, 3])
})
