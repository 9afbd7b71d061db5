import { execFile } from 'node:child_process'
import { existsSync, globSync, lstatSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { loadCommands } from '../src/cli/run-cli.ts'
import { readDocExamples } from './lab/doc-examples.ts'
import { guideModule, readGuideBlocks } from './lab/guides.ts'
import { startLab, type Lab } from './lab/lab.ts'
import { startSite, type Site } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

/** The result of a process. */
interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { readonly version: string }
const node22 = join(repository, 'node_modules/node22/bin/node')
const nodes = [
  { name: 'Node.js 24', path: process.execPath, isMissing: false },
  // The package contains only a program for Linux on x64.
  { name: 'Node.js 22', path: node22, isMissing: !existsSync(node22) },
]

let folder: string
let client: string
let server: string
let lab: Lab
let site: Site

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-packages-'))
  client = join(folder, 'client')
  server = join(folder, 'server')
  const [packaged] = await Promise.all([
    run(repository, process.execPath, ['scripts/run.mjs', 'package']),
    startLab().then((started) => (lab = started)),
    startSite().then((started) => (site = started)),
    makeProject(client),
    makeProject(server),
  ])
  expect(packaged).toMatchObject({ code: 0 })
  const tarball = (name: string): string => join(repository, `dist/${name}-${manifest.version}.tgz`)
  await Promise.all([
    npm(client, 'install', tarball('bowline')),
    npm(server, 'install', tarball('bowline'), tarball('bowline-server')),
  ])
}, 300_000)

afterAll(async () => {
  await lab?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Commands of `bowline` that need the package `bowline-server`. */
const serverCommands = ['serve', 'doctor', 'backup', 'restore', 'move']

describe('an empty project with only bowline', () => {
  test('has at most 8 packages and 10 MB', async () => {
    const size = await measure(client)

    expect(size.packages).toBeLessThanOrEqual(8)
    expect(size.megabytes).toBeLessThanOrEqual(10)
  })

  test('prints the help of every command without a server', async () => {
    const names = (await loadCommands()).map((command) => command.name())
    const own = names.filter((name) => !serverCommands.includes(name))
    const lines = own.map((name) => ['bowline', name, '--help'])
    const helps = await runLines(client, lines)

    expect(own.length).toBeGreaterThan(10)
    for (const [index, name] of own.entries()) {
      expect(helps[index]).toMatchObject({ code: 0, stderr: '' })
      expect(helps[index]?.stdout.split(/ (?=\[|<)|\n/)[0]).toBe(`Usage: bowline ${name}`)
    }
  })

  test('prints what to install when a command of the server is requested', async () => {
    const missing: Ended = {
      code: 3,
      stdout: '',
      stderr: 'SERVER_MISSING: The package bowline-server is not installed (npm install bowline-server)\n',
    }
    const lines = serverCommands.map((command) => ['bowline', command])
    const requested = await runLines(client, lines)

    expect(requested).toEqual(serverCommands.map(() => missing))
    expect(await bowline(client, 'serve')).toEqual(missing)
  })

  test('lists the monitors of a server', async () => {
    expect(await bowline(client, 'monitors', 'list')).toMatchObject({ code: 0, stderr: '' })
  })

  test.each(nodes)(
    'is loaded by require() on $name, and by the first program of the README once a driver is installed',
    async ({ path, isMissing }) => {
      if (isMissing) return
      const required = await run(client, path, ['-e', `console.log(typeof require('bowline').Bowline)`])
      expect(required.stdout).toBe('function\n')
      await linkPackages(client, 'playwright-core')
      const readme = await readFile(join(repository, 'README.md'), 'utf8')
      const program = /```(?:ts|js)\n([\s\S]*?)```/.exec(readme)?.[1]?.replace('https://example.com', site.url(''))
      await writeFile(join(client, 'first.mjs'), program ?? '')

      const ended = await run(client, path, ['first.mjs'])

      expect(ended.stderr).toBe('')
      expect(ended.stdout).toMatch(/^.+ \(\d+ ms, \d+ credits\)\n$/)
    },
  )

  test('type-checks with strict and module resolution bundler', async () => {
    expect(await typeCheck(client, 'bundler', { 'consumer.ts': consumer })).toEqual(passed)
  })
})

describe('an empty project with bowline-server', () => {
  test('has at most 110 packages and 75 MB', async () => {
    const size = await measure(server)

    expect(size.packages).toBeLessThanOrEqual(110)
    expect(size.megabytes).toBeLessThanOrEqual(75)
  })

  test('provides its commands under both names', async () => {
    const names = ['bowline-server', 'bowline']
    const lines = names.flatMap((name) => serverCommands.map((command) => [name, command, '--help']))
    const helps = await runLines(server, lines)

    const [ours, clients] = [helps.slice(0, serverCommands.length), helps.slice(serverCommands.length)]
    for (const [index, command] of serverCommands.entries()) {
      expect(ours[index]).toMatchObject({ code: 0, stderr: '' })
      expect(ours[index]?.stdout).toContain(`Usage: bowline-server ${command}`)
      expect(clients[index]?.stdout).toBe(ours[index]?.stdout.replace('bowline-server', 'bowline'))
    }
    const program = join(server, 'node_modules/bowline-server/dist/cli/main.js')
    expect(await run(server, process.execPath, [program, 'serve', '--help'])).toEqual(ours[0])
  })

  test('type-checks with strict and module resolution nodenext, with all examples of doc comments and guides', async () => {
    const examples = readDocExamples().map(({ fileName, program }) => [fileName, program] as const)
    const guides = readGuideBlocks().map((block) => [block.fileName, guideModule(block)] as const)

    const ended = await typeCheck(
      server,
      'nodenext',
      Object.fromEntries([['consumer.ts', consumer], ...examples, ...guides]),
    )

    expect(examples.length).toBeGreaterThan(30)
    expect(guides.length).toBeGreaterThan(30)
    expect(ended).toEqual(passed)
  })

  test('runs a server inside a program, with its dashboard and its live view', async () => {
    await writeFile(join(server, 'embedded.mjs'), embedded)

    const ended = await run(server, process.execPath, [...wasmCompilerFlags, 'embedded.mjs', join(folder, 'data')])

    expect(ended.stderr).toBe('')
    expect(JSON.parse(ended.stdout)).toEqual({ dashboard: 200, openapi: 200, liveView: 200, script: 200, bill: 2 })
  })

  test('prints the required Node.js version in one sentence', async () => {
    if (!existsSync(node22)) return
    const program = join(server, 'node_modules/bowline-server/dist/cli/main.js')
    const [direct, through] = await Promise.all([
      run(server, node22, [program]),
      run(server, node22, [join(server, 'node_modules/bowline/dist/cli/main.js'), 'serve']),
    ])

    expect(direct.code).toBe(3)
    expect(direct.stderr).toMatch(/^The Bowline server needs Node\.js 24 or newer\. This is Node\.js 22\.[^\n]*\n$/)
    expect(through.code).toBe(3)
    expect(through.stderr).toMatch(
      /^SERVER_MISSING: The server needs Node\.js 24 or newer\. This is Node\.js 22\.[^\n]*\n$/,
    )
  })
})

test('links of the READMEs name files that are in the package of the server', async () => {
  const packages = ['bowline', 'bowline-server']
  const texts = await Promise.all(packages.map((name) => readFile(join(repository, 'dist', name, 'README.md'), 'utf8')))
  const links = texts.flatMap((text) => [...text.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? ''))
  const base = `https://unpkg.com/bowline-server@${manifest.version}/`
  const own = links.filter((link) => link.startsWith(base)).map((link) => link.slice(base.length))

  expect(links.filter((link) => !link.startsWith('http'))).toEqual([])
  expect(own.length).toBeGreaterThan(5)
  expect(own.filter((path) => !existsSync(join(repository, 'dist/bowline-server', path)))).toEqual([])
})

test('no file references a missing source map', () => {
  expect(globSync('dist/bowline{,-server}/**/*.map', { cwd: repository })).toEqual([])
})

/** Runs command lines of the packages in a single process: one process each takes many seconds. */
const runner = `
import { runCli } from './node_modules/bowline/dist/cli/run-cli.js'

const programs = {
  bowline: async () => runCli,
  'bowline-server': async () => (await import('./node_modules/bowline-server/dist/cli/run-server-cli.js')).runServerCli,
}
const print = process.stdout.write.bind(process.stdout)
const all = []
// Each run adds a listener to both.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
for (const [name, ...args] of JSON.parse(process.argv[2])) {
  const ended = { code: 0, stdout: '', stderr: '' }
  for (const kind of ['stdout', 'stderr']) process[kind].write = (text) => Boolean((ended[kind] += text))
  process.exitCode = 0
  await (await programs[name]())(args)
  all.push({ ...ended, code: process.exitCode })
}
process.exitCode = 0
print(JSON.stringify(all))
`

const consumer = `
import { Bowline, type SessionBill } from 'bowline'
import { playwright } from 'bowline/playwright'
import { puppeteer } from 'bowline/puppeteer'
import { test } from 'bowline/testing'

const bowline = new Bowline({ apiKey: 'bl-x', baseUrl: 'http://127.0.0.1:3900' })
const outcome = await bowline.withSession({ ttl: 60, driver: playwright }, async ({ page }) => page.title())
export const title: string = outcome.result
export const credits: number | undefined = outcome.creditsBilled
export type Bill = SessionBill
await bowline.withSession({ driver: puppeteer }, async ({ page }) => page.title())
test('a page', async ({ page }) => {
  await page.goto('about:blank')
})
// @ts-expect-error -- the options are checked
await bowline.withSession({ tll: 60 }, async () => undefined)
`

const embedded = `
import { Bowline } from 'bowline'

const bowline = await Bowline.embedded({ dataDir: process.argv[2], warm: 0 })
const status = async (url) => (await fetch(url)).status
const session = await bowline.sessions.create({ ttl: 60 })
const base = new URL(session.cdpUrl.replace('ws', 'http')).origin
const seen = {
  dashboard: await status(base + '/'),
  openapi: await status(base + '/openapi.json'),
  liveView: await status(session.liveViewUrl),
  script: await status(new URL('assets/main.js', session.liveViewUrl)),
}
const { creditsBilled } = await session.end()
await bowline[Symbol.asyncDispose]()
console.log(JSON.stringify({ ...seen, bill: creditsBilled }))
`

const passed: Ended = { code: 0, stdout: '', stderr: '' }

/** Options of the compiler, as strict as those of the repository. */
const strict = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
}

async function makeProject(path: string): Promise<void> {
  await mkdir(path)
  await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0' }))
}

/** Runs npm in a project. The packages that the repository has installed come from npm's cache. */
async function npm(path: string, ...args: readonly string[]): Promise<void> {
  const cli = process.env['npm_execpath'] ?? 'npm'
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional', '--loglevel=error']
  const [command, first] = cli.endsWith('.js') ? [process.execPath, [cli]] : [cli, []]
  const ended = await run(path, command, [...first, ...args, ...flags])
  expect(ended, `npm ${args.join(' ')}`).toMatchObject({ code: 0 })
}

/** The packages that npm installed into a project, and the size of their files in bytes. */
async function measure(path: string): Promise<{ readonly packages: number; readonly megabytes: number }> {
  const lock = JSON.parse(await readFile(join(path, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  const folders = Object.keys(lock.packages)
  const bytes = folders
    .flatMap((name) => globSync('**/*', { cwd: join(path, name), withFileTypes: true, exclude: ['node_modules'] }))
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0)
  return { packages: folders.length, megabytes: bytes / 1e6 }
}

/** Lets a project use packages of the repository, as if it had installed them. */
async function linkPackages(path: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const target = join(path, 'node_modules', name)
    if (existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(repository, 'node_modules', name), target)
  }
}

/** Compiles files of a project strictly, without writing anything. */
async function typeCheck(path: string, resolution: 'nodenext' | 'bundler', files: Readonly<Record<string, string>>) {
  await linkPackages(path, 'playwright-core', 'puppeteer-core', '@playwright/test', 'vitest', '@types/node')
  const folder = join(path, 'checked')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [name, program] of Object.entries(files)) await writeFile(join(folder, name), program)
  const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
  const compilerOptions = { ...strict, module, moduleResolution: resolution }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return run(folder, process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', folder])
}

async function bowline(path: string, ...args: readonly string[]): Promise<Ended> {
  return run(path, process.execPath, [join(path, 'node_modules/bowline/dist/cli/main.js'), ...args])
}

/** Runs command lines, each with the name of its program first. */
async function runLines(path: string, lines: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  await writeFile(join(path, 'runner.mjs'), runner)
  const ended = await run(path, process.execPath, ['runner.mjs', JSON.stringify(lines)])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(ended.stdout) as readonly Ended[]
}

async function run(cwd: string, program: string, args: readonly string[]): Promise<Ended> {
  const { VITEST: _, NODE_ENV: __, NODE_OPTIONS: ___, ...rest } = process.env
  const env = {
    ...rest,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    ...(lab === undefined ? {} : { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }),
  }
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr }),
    )
  })
}
