import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../src/kit/catalogue.ts'
import { countCodeLines, importedPackages, readSourceFiles, repository, type SourceFile } from './lab/source-tree.ts'

/** The parts that read and write rows and blobs, and that nearly all others import. */
const rows = ['server/store', 'server/blobs', 'server/nodes', 'server/teams'] as const

/** The parts that each part may import besides itself, `kit` and `contract`. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contract: [],
  terminal: [],
  client: [],
  drivers: ['client'],
  seeds: ['client'],
  testing: ['client', 'drivers'],
  'server/kit': [],
  'server/config': [],
  'server/identity': [],
  'server/version': [],
  'server/cdp': [],
  'server/egress': [],
  'server/store': [],
  'server/blobs': [],
  'server/nodes': ['server/store'],
  'server/teams': ['server/store'],
  'server/queue': [...rows],
  'server/webhooks': ['server/queue', ...rows],
  'server/billing': [...rows],
  'server/usage': ['server/billing', ...rows],
  'server/profiles': [...rows],
  'server/browsers': ['server/cdp'],
  'server/artifacts': [...rows],
  'server/files': ['server/artifacts', 'server/browsers', 'server/cdp', ...rows],
  'server/recordings': ['server/artifacts', 'server/browsers', 'server/cdp', ...rows],
  'server/sessions': [
    'server/files',
    'server/recordings',
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/billing',
    ...rows,
  ],
  'server/cluster': ['server/sessions', 'server/profiles', 'server/billing', ...rows],
  'server/compat': [],
  'server/scrape': [
    'server/sessions',
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/billing',
    ...rows,
  ],
  'server/gateway': ['server/sessions', 'server/browsers', 'server/cdp', ...rows],
  'server/jobs': [
    'server/webhooks',
    'server/scrape',
    'server/map',
    'server/egress',
    'server/queue',
    'server/billing',
    ...rows,
  ],
  'server/live': ['server/sessions', 'server/browsers', 'server/cdp', ...rows],
  'server/map': ['server/egress', 'server/billing', ...rows],
  'server/search': ['server/scrape', 'server/map', 'server/billing', ...rows],
  'server/monitors': [
    'server/search',
    'server/webhooks',
    'server/map',
    'server/scrape',
    'server/queue',
    'server/egress',
    'server/billing',
    ...rows,
  ],
  'server/extract': [
    'server/search',
    'server/scrape',
    'server/map',
    'server/queue',
    'server/webhooks',
    'server/billing',
    ...rows,
  ],
  'server/http': [
    'server/extract',
    'server/search',
    'server/monitors',
    'server/compat',
    'server/jobs',
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
    'server/billing',
    'server/queue',
    'server/profiles',
    ...rows,
  ],
  'server/app': ['server/'],
  'server/cli': ['server/', 'terminal'],
  'server/commands': ['server/cli'],
  dashboard: [],
  cli: ['client', 'drivers', 'terminal', 'entry/index', 'entry/playwright', 'entry/puppeteer', 'entry/version'],
  'entry/index': ['client', 'seeds'],
  'entry/playwright': ['drivers'],
  'entry/puppeteer': ['drivers'],
  'entry/testing': ['testing'],
  'entry/testing-reporter': ['testing'],
  'entry/testing-vitest': ['testing'],
  'entry/server': ['server/app', 'server/config'],
  'entry/contract': [],
  'entry/version': [],
}

/** Types of the Chrome DevTools Protocol. The declarations of the public API do not need them. */
const typesOnly = 'devtools-protocol'

const sources = readSourceFiles('{src,server/src,server/dashboard}/**/*.{ts,tsx}')
const sourceByPath = new Map(sources.map((source) => [source.path, source]))

function partOf(path: string): string {
  if (path.startsWith('server/dashboard/')) return 'dashboard'
  if (path === 'server/src/index.ts') return 'entry/server'
  const server = /^server\/src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1]
  if (server !== undefined) return `server/${server}`
  const [first = ''] = path.replace(/^src\//, '').split('/')
  return first.endsWith('.ts') ? `entry/${first.slice(0, -3)}` : first
}

function mayImport(from: string, to: string): boolean {
  if (from === to || to === 'kit') return true
  if (to === 'server/kit') return from.startsWith('server/')
  if (to === 'contract') return from !== 'kit'
  return (allowedImports[from] ?? []).some((allowed) =>
    allowed.endsWith('/') ? to.startsWith(allowed) : to === allowed,
  )
}

/**
 * Folders that one file above them puts together, and whose files use other files above them. The
 * files themselves form no cycle.
 */
const compositionFolders = ['server/src/app', 'server/src/cli', 'server/src/http/routes', 'src/client/pool']

/** Returns the two folders, or a folder and its sub-folder, through which an import leads. */
function siblingsOf(from: string, to: string): string {
  const [source, target] = [dirname(from).split('/'), dirname(to).split('/')]
  const shared = source.findIndex((name, index) => name !== target[index])
  const depth = shared === -1 ? source.length : shared
  if (source.length === target.length && shared === -1) return ''
  return [source, target].map((folder) => folder.slice(0, depth + 1).join('/')).join(' → ')
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(repository, path), 'utf8')) as Manifest
}

function findCycle(start: SourceFile, finished: Set<string>, trail: readonly string[] = []): readonly string[] {
  if (trail.includes(start.path)) return [...trail.slice(trail.indexOf(start.path)), start.path]
  if (finished.has(start.path)) return []
  const cycle = start.imports
    .map((path) => sourceByPath.get(path))
    .filter((next) => next !== undefined)
    .map((next) => findCycle(next, finished, [...trail, start.path]))
    .find((found) => found.length > 0)
  finished.add(start.path)
  return cycle ?? []
}

function reachableFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const next of sourceByPath.get(path)?.imports ?? []) reachableFrom(next, seen)
  return seen
}

describe('imports', () => {
  test('every source file belongs to a listed part', () => {
    const strangers = sources.filter((source) => allowedImports[partOf(source.path)] === undefined)

    expect(strangers.map((source) => source.path)).toEqual([])
  })

  test('every import names an existing file', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !sourceByPath.has(target)).map((target) => `${path} → ${target}`),
    )

    expect(broken).toEqual([])
  })

  test('every import follows the order of the layers', () => {
    const upward = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !mayImport(partOf(path), partOf(target))).map((target) => `${path} → ${target}`),
    )

    expect(upward).toEqual([])
  })

  test('there are no import cycles', () => {
    const finished = new Set<string>()
    const cycles = sources.map((source) => findCycle(source, finished)).filter((cycle) => cycle.length > 0)

    expect(cycles.map((cycle) => cycle.join(' → '))).toEqual([])
  })

  test('no two folders import each other, at any level', () => {
    const edges = sources.flatMap(({ path, imports }) => imports.map((target) => siblingsOf(path, target)))
    const known = new Set(edges.filter((edge) => edge !== ''))
    const mutual = [...known].filter((edge) => known.has(edge.split(' → ').toReversed().join(' → ')))

    expect(mutual.filter((edge) => !compositionFolders.some((folder) => edge.includes(folder)))).toEqual([])
  })

  test('a program that imports the client loads no package but zod and p-retry', () => {
    const packages = [...reachableFrom('src/index.ts')].flatMap((path) => sourceByPath.get(path)?.packages ?? [])

    expect([...new Set(packages)].toSorted()).toEqual(['p-retry', 'zod'])
  })
})

describe('each package', () => {
  test.each([
    ['bowline', 'package.json', 'src/'],
    ['bowline-server', 'server/package.json', 'server/src/'],
  ])('%s declares every package that it imports', (_name, manifest, folder) => {
    const { name, dependencies, peerDependencies } = readManifest(manifest)
    const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
    const undeclared = sources
      .filter(({ path }) => path.startsWith(folder) && !/\/(?:page|web)\//.test(path))
      .flatMap(({ path, text }) => importedPackages(text).map((imported) => ({ path, imported })))
      .filter(({ imported }) => !declared.has(imported) && imported !== typesOnly)

    expect(undeclared).toEqual([])
  })

  test(`no published file needs ${typesOnly}, which holds only types and is not installed`, () => {
    const importers = sources.filter(({ packages }) => packages.includes(typesOnly))

    expect(importers.map(({ path }) => path)).toEqual(['server/src/cdp/protocol.ts'])
    expect(importers.flatMap(({ text }) => text.match(/^import(?! type).*/gm) ?? [])).toEqual([])
  })

  test('the packages have the same version, and the server requires exactly this version of the client', () => {
    const [client, server] = [readManifest('package.json'), readManifest('server/package.json')]

    expect(server.version).toBe(client.version)
    expect(server.dependencies?.['bowline']).toBe(client.version)
    expect(client.peerDependencies?.['bowline-server']).toBe(client.version)
  })
})

describe('every file', () => {
  const written = [
    ...sources,
    ...readSourceFiles('{test,server/test,examples}/**/*.ts'),
    ...readSourceFiles('scripts/**/*.mjs'),
  ]

  test('has at most 300 lines of code', () => {
    const long = written.filter((file) => countCodeLines(file.text) > 300)

    expect(long.map((file) => file.path)).toEqual([])
  })

  test('under src has a specific name', () => {
    const vague = sources.filter(({ path }) =>
      /^(utils?|helpers?|types|common|misc|index)\.ts$/.test(
        /^(server\/)?src\/index\.ts$/.test(path) ? '' : basename(path),
      ),
    )

    expect(vague.map((file) => file.path)).toEqual([])
  })

  test('leaves the environment to the two configuration files', () => {
    const readers = sources.filter(({ text }) =>
      /process\s*(\.env\b|\[['"]env)|\{[^}]*\benv\b[^}]*\} from 'node:process'/.test(text),
    )

    expect(
      readers.map((file) => file.path).filter((path) => !/^(server\/src|src\/client)\/config\.ts$/.test(path)),
    ).toEqual([])
  })

  test('leaves reservations and charges to the billing folder', () => {
    const writes =
      /set reserved_credits|insert into (?:hold|ledger)\b|delete from (?:hold|ledger)\b|(?:insertInto|updateTable|deleteFrom)\('(?:hold|ledger)'\)/
    const writers = sources.filter(({ text }) => writes.test(text)).map(({ path }) => path)

    expect(writers.filter((path) => !path.startsWith('server/src/store/migrations/'))).toEqual([
      'server/src/billing/account.ts',
    ])
  })

  test('throws only codes of the catalogue', () => {
    const thrown = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/new BowlineError\(\s*'([^']+)'/g)].map((match) => ({ path, code: match[1] ?? '' })),
    )

    expect(thrown.length).toBeGreaterThan(0)
    expect(thrown.filter(({ code }) => !Object.hasOwn(catalogue, code))).toEqual([])
  })
})

test('nothing in the repository depends on a certain machine or registry', () => {
  const localPaths = [['', 'work', ''].join('/'), ['', 'root', ''].join('/'), ['', 'home', ''].join('/')]
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
      return localPaths.some((location) => text.includes(location)) || hosts.test(text)
    })

  expect(paths.length).toBeGreaterThan(20)
  expect(tied).toEqual([])
})
