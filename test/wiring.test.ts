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

test('the HTTP server gives each route only what it uses', () => {
  const { text = '' } = sources.find(({ path }) => path === 'server/src/http/app.ts') ?? {}

  expect(text).toContain('Handlers({')
  expect(text.match(/(?:Handlers|register[A-Z]\w+)\((?:app, )?deps\)/g)).toBeNull()
})

test('only the route tables name the paths of the server', () => {
  // The catalogue is below the contract.
  const exempt = new Set(['src/contract/paths.ts', 'src/contract/server-routes.ts', 'src/kit/catalogue.ts'])
  const path =
    /['"`}]\/(?:v[012]|livez|readyz|metrics|docs|openapi|live|files|monitor|dashboard|e2e-test)(?:\/(?!\*)|['"`?]|\.json)/
  const named = readSourceFiles('{src,server/src,server/dashboard}/**/*.{ts,tsx}').filter(
    (source) => !exempt.has(source.path) && path.test(source.text.replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*/gm, '')),
  )

  expect(named.map((source) => source.path)).toEqual([])
})
