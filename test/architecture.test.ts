import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../src/kit/catalogue.ts'
import { countCodeLines, readSourceFiles, repository, type SourceFile } from './lab/source-tree.ts'

/** What each part may import beside itself, kit and contract. Imports only go down, so no part is below itself. */
const ladder: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contract: [],
  client: [],
  drivers: ['client'],
  seeds: ['client'],
  testing: ['client', 'drivers'],
  'server/config': [],
  'server/identity': [],
  'server/version': [],
  'server/cdp': [],
  'server/egress': [],
  'server/store': [],
  'server/cluster': ['server/store'],
  'server/jobs': ['server/store'],
  'server/webhooks': ['server/jobs', 'server/store'],
  'server/usage': ['server/store'],
  'server/profiles': ['server/store'],
  'server/browsers': ['server/cdp'],
  'server/sessions': [
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/usage',
    'server/store',
  ],
  'server/compat': [],
  'server/scrape': [
    'server/sessions',
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/usage',
    'server/store',
  ],
  'server/gateway': ['server/sessions', 'server/browsers', 'server/cdp', 'server/store'],
  'server/bulk': [
    'server/webhooks',
    'server/scrape',
    'server/map',
    'server/egress',
    'server/jobs',
    'server/usage',
    'server/store',
  ],
  'server/live': ['server/sessions', 'server/browsers', 'server/cdp', 'server/store'],
  'server/artifacts': ['server/store'],
  'server/files': ['server/artifacts', 'server/sessions', 'server/browsers', 'server/cdp', 'server/store'],
  'server/recordings': [
    'server/live',
    'server/artifacts',
    'server/sessions',
    'server/browsers',
    'server/cdp',
    'server/store',
  ],
  'server/map': ['server/egress', 'server/usage', 'server/store'],
  'server/search': ['server/scrape', 'server/map', 'server/usage', 'server/store'],
  'server/mail': ['server/jobs', 'server/store'],
  'server/monitors': [
    'server/search',
    'server/mail',
    'server/webhooks',
    'server/map',
    'server/scrape',
    'server/jobs',
    'server/egress',
    'server/usage',
    'server/store',
  ],
  'server/extract': [
    'server/search',
    'server/scrape',
    'server/map',
    'server/jobs',
    'server/webhooks',
    'server/usage',
    'server/store',
  ],
  'server/http': [
    'server/extract',
    'server/search',
    'server/mail',
    'server/monitors',
    'server/compat',
    'server/bulk',
    'server/scrape',
    'server/map',
    'server/webhooks',
    'server/cluster',
    'server/live',
    'server/artifacts',
    'server/files',
    'server/recordings',
    'server/gateway',
    'server/sessions',
    'server/browsers',
    'server/usage',
    'server/jobs',
    'server/profiles',
    'server/store',
  ],
  'server/app': ['server/'],
  dashboard: [],
  cli: ['client', 'drivers', 'server/', 'entry/index', 'entry/server', 'entry/playwright', 'entry/puppeteer'],
  'entry/index': ['client', 'seeds'],
  'entry/playwright': ['drivers'],
  'entry/puppeteer': ['drivers'],
  'entry/testing': ['testing'],
  'entry/testing-reporter': ['testing'],
  'entry/testing-vitest': ['testing'],
  'entry/server': ['server/app', 'server/config'],
  'entry/contract': [],
}

const sources = readSourceFiles('src/**/*.{ts,tsx}')
const sourceByPath = new Map(sources.map((source) => [source.path, source]))

const partOf = (path: string): string => {
  const [first = '', second = ''] = path.replace(/^src\//, '').split('/')
  if (first.endsWith('.ts')) return `entry/${first.slice(0, -3)}`
  return first === 'server' ? `server/${second.replace(/\.ts$/, '')}` : first
}

const mayImport = (from: string, to: string): boolean => {
  if (from === to || to === 'kit') return true
  if (to === 'contract') return from !== 'kit'
  return (ladder[from] ?? []).some((allowed) => (allowed.endsWith('/') ? to.startsWith(allowed) : to === allowed))
}

const findCycle = (start: SourceFile, finished: Set<string>, trail: readonly string[] = []): readonly string[] => {
  if (trail.includes(start.path)) return [...trail.slice(trail.indexOf(start.path)), start.path]
  if (finished.has(start.path)) return []
  if (finished.has(start.path)) return []
  const cycle = start.imports
    .map((path) => sourceByPath.get(path))
    .filter((next) => next !== undefined)
    .map((next) => findCycle(next, finished, [...trail, start.path]))
    .find((found) => found.length > 0)
  finished.add(start.path)
  return cycle ?? []
}

const reachableFrom = (path: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const next of sourceByPath.get(path)?.imports ?? []) reachableFrom(next, seen)
  return seen
}

describe('the ladder', () => {
  test('every source file stands on it', () => {
    const strangers = sources.filter((source) => ladder[partOf(source.path)] === undefined)

    expect(strangers.map((source) => source.path)).toEqual([])
  })

  test('every import names a file that is there', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !sourceByPath.has(target)).map((target) => `${path} → ${target}`),
    )

    expect(broken).toEqual([])
  })

  test('imports only go down', () => {
    const upward = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !mayImport(partOf(path), partOf(target))).map((target) => `${path} → ${target}`),
    )

    expect(upward).toEqual([])
  })

  test('no files import each other in a circle', () => {
    const finished = new Set<string>()
    const cycles = sources.map((source) => findCycle(source, finished)).filter((cycle) => cycle.length > 0)

    expect(cycles.map((cycle) => cycle.join(' → '))).toEqual([])
  })

  test('a program that imports the client loads no package but zod and p-retry', () => {
    const packages = [...reachableFrom('src/index.ts')].flatMap((path) => sourceByPath.get(path)?.packages ?? [])

    expect([...new Set(packages)].toSorted()).toEqual(['p-retry', 'zod'])
  })
})

describe('every file', () => {
  const written = [...sources, ...readSourceFiles('{test,examples}/**/*.ts'), ...readSourceFiles('scripts/**/*.mjs')]

  test('has at most 300 lines of code', () => {
    const long = written.filter((file) => countCodeLines(file.text) > 300)

    expect(long.map((file) => file.path)).toEqual([])
  })

  test('under src is named for what it holds', () => {
    const vague = sources.filter(({ path }) =>
      /^(utils?|helpers?|types|common|misc|index)\.ts$/.test(path === 'src/index.ts' ? '' : basename(path)),
    )

    expect(vague.map((file) => file.path)).toEqual([])
  })

  test('leaves the environment to the two configuration files', () => {
    const readers = sources.filter(({ text }) =>
      /process\s*(\.env\b|\[['"]env)|\{[^}]*\benv\b[^}]*\} from 'node:process'/.test(text),
    )

    expect(readers.map((file) => file.path).filter((path) => !/^src\/(server|client)\/config\.ts$/.test(path))).toEqual(
      [],
    )
  })

  test('of the package imports only packages that are installed with it, or that its user installs', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      readonly dependencies: object
      readonly peerDependencies: object
    }
    const declared = { ...dependencies, ...peerDependencies }
    const installed = sources.filter(({ path }) => !path.startsWith('src/dashboard/'))
    const undeclared = installed.flatMap(({ path, packages }) =>
      packages.filter((name) => !Object.hasOwn(declared, name)).map((name) => `${path} → ${name}`),
    )

    expect(undeclared).toEqual([])
  })

  test('throws only codes of the catalogue', () => {
    const thrown = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/new BowlineError\(\s*'([^']+)'/g)].map((match) => ({ path, code: match[1] ?? '' })),
    )

    expect(thrown.length).toBeGreaterThan(0)
    expect(thrown.filter(({ code }) => !Object.hasOwn(catalogue, code))).toEqual([])
  })
})

test('nothing in the repository depends on the machine or the registry it was written with', () => {
  const places = [['', 'work', ''].join('/'), ['', 'root', ''].join('/'), ['', 'home', ''].join('/')]
  const hosts = /https?:\/\/[\w.-]*(?:registry|npmjs|npmmirror|artifact|debian\.org|ubuntu\.com)/
  const paths = globSync('**/*', {
    cwd: repository,
    withFileTypes: true,
    exclude: (entry) => /^(node_modules|dist|coverage|tmp|\.git)$/.test(entry.name) || entry.name.endsWith('.log'),
  })

  const tied = paths
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const text = readFileSync(path, 'utf8')
      return places.some((place) => text.includes(place)) || hosts.test(text)
    })

  expect(paths.length).toBeGreaterThan(20)
  expect(tied).toEqual([])
})
