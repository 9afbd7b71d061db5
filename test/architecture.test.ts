import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../src/kit/catalogue.ts'
import { isListedPart, mayImport, partOf } from './lab/layers.ts'
import { countCodeLines, importedPackages, readSourceFiles, repository, type SourceFile } from './lab/source-tree.ts'

/** Types of the Chrome DevTools Protocol. The declarations of the public API do not need them. */
const typesOnly = 'devtools-protocol'

const sources = readSourceFiles('{src,server/src,server/dashboard}/**/*.{ts,tsx}')
const sourceByPath = new Map(sources.map((source) => [source.path, source]))

/** Returns the two sibling folders that an import connects, or ''. */
function siblingsOf(from: string, to: string): string {
  const [source, target] = [dirname(from).split('/'), dirname(to).split('/')]
  const depth = source.findIndex((name, index) => name !== target[index])
  if (depth === -1 || depth === target.length) return ''
  return [source, target].map((folder) => folder.slice(0, depth + 1).join('/')).join(' → ')
}

/** Returns the subfolder from which an import leads to a file above it, or ''. */
function subFolderBelow(from: string, to: string): string {
  const parent = `${dirname(to)}/`
  return dirname(from).startsWith(parent) ? `${parent}${from.slice(parent.length).split('/')[0]}/` : ''
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
    const unlisted = sources.filter((source) => !isListedPart(partOf(source.path)))

    expect(unlisted.map((source) => source.path)).toEqual([])
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

  test('no two sibling folders import each other, at any level', () => {
    const edges = sources.flatMap(({ path, imports }) => imports.map((target) => siblingsOf(path, target)))
    const known = new Set(edges.filter((edge) => edge !== ''))
    const mutual = [...known].filter((edge) => known.has(edge.split(' → ').toReversed().join(' → ')))

    expect(known.size).toBeGreaterThan(100)
    expect(mutual).toEqual([])
  })

  // The files directly in a folder are above or below each of its sub-folders: they compose it, or
  // it builds on them.
  test('a file that a sub-folder imports does not lead back into that folder', () => {
    const pairs = sources.flatMap(({ path, imports }) =>
      imports.map((target) => ({ target, folder: subFolderBelow(path, target) })).filter(({ folder }) => folder !== ''),
    )
    const back = pairs.flatMap(({ target, folder }) =>
      [...reachableFrom(target)]
        .filter((path) => path.startsWith(folder))
        .map((path) => `${folder} → ${target} → ${path}`),
    )

    expect(pairs.length).toBeGreaterThan(10)
    expect([...new Set(back)]).toEqual([])
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

    // Code samples are programs of users that read it.
    const allowed = /^(?:server\/src\/config|src\/client\/config|server\/src\/http\/code-samples)\.ts$/
    expect(readers.map((file) => file.path).filter((path) => !allowed.test(path))).toEqual([])
  })

  test('leaves reservations and charges to the billing folder', () => {
    const writes =
      /set reserved_credits|insert into (?:hold|ledger)\b|delete from (?:hold|ledger)\b|(?:insertInto|updateTable|deleteFrom)\('(?:hold|ledger)'\)/
    const writers = sources.filter(({ text }) => writes.test(text)).map(({ path }) => path)

    expect(writers.filter((path) => !path.startsWith('server/src/store/migrations/'))).toEqual([
      'server/src/billing/account.ts',
      'server/src/billing/roll-up-ledger.ts',
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
