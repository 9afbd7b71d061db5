import { expect, test } from 'vitest'
import { readSourceFiles } from './lab/source-tree.ts'

const sources = readSourceFiles('server/src/**/*.ts')

test('only the composition root and the command line get the whole configuration', () => {
  const roots = /^server\/src\/(?:app|config|app\/part-settings|cli\/serve)\.ts$/
  const takers = sources.filter(({ text }) =>
    /\bServerConfig\b/.test(text.replaceAll(/^import .*|Pick<\s*ServerConfig\b/gm, '')),
  )

  expect(takers.map(({ path }) => path).filter((path) => !roots.test(path))).toEqual([])
})

test('the composition root passes parts and settings by name', () => {
  const root = sources.filter(({ path }) => /^server\/src\/app(?:\.ts$|\/)/.test(path))
  const spreads = root.filter(({ text }) => /\.\.\.\w/.test(text))

  expect(root.length).toBeGreaterThan(10)
  expect(spreads.map(({ path }) => path)).toEqual([])
})
