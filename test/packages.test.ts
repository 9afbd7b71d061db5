import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { loadCommands } from '../src/cli/run-cli.ts'
import { readDocExamples } from './lab/doc-examples.ts'
import { guideModule, readGuideBlocks, serveOutputPattern } from './lab/guides.ts'
import { startLab, type Lab } from './lab/lab.ts'
import { compiler, typeCheck } from './lab/type-check.ts'
import { startSite, type Site } from './lab/site.ts'
import { linkPackages, makeEmptyFolder, makeProject, measure, npmSettings, readLock } from './lab/npm-projects.ts'
import { consumer, embedded, plainConsumer, runner } from './lab/package-programs.ts'
import { readFirstProgram, readInstallBlocks, readTarballLines } from './lab/shell-blocks.ts'
import { repository } from './lab/source-tree.ts'

/** The result of a process. */
interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
}
const node22 = join(repository, 'node_modules/node22/bin/node')
const nodes = [
  { name: 'Node.js 24', path: process.execPath, isMissing: false },
  // The package contains only a program for Linux on x64.
  { name: 'Node.js 22', path: node22, isMissing: !existsSync(node22) },
]

/** Entry points of the package. */
const entries = Object.keys(manifest.exports)
  .filter((path) => !path.includes('*') && path !== './package.json')
  .map((path) => ({ entry: path.replace('.', 'bowline') }))
const oldNode = '/usr/bin/node'
const isOldNode = await promisify(execFile)(oldNode, ['--version']).then(
  ({ stdout }) => /^v2[01]\./.test(stdout),
  () => false,
)

const installBlocks = readInstallBlocks()
const ofReadme = installBlocks.filter(({ source }) => source.startsWith('README.md'))
/** The documented command that installs a server alone. */
const installServer = ofReadme[1]?.commands[0]

let folder: string
let client: string
/** Project in which `installServer` has run. */
let server: string
let lab: Lab
let site: Site

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-packages-'))
  client = join(folder, 'client')
  server = await makeEmptyFolder(join(folder, 'server'))
  const [packaged] = await Promise.all([
    run(repository, process.execPath, ['scripts/run.mjs', 'package']),
    startLab().then((started) => (lab = started)),
    startSite().then((started) => (site = started)),
    makeProject(client),
  ])
  expect(packaged).toMatchObject({ code: 0 })
  const [, installed] = await Promise.all([
    npm(client, 'install', join(repository, `dist/bowline-${manifest.version}.tgz`)),
    runShell(server, installServer ?? ''),
  ])
  expect(installed).toMatchObject({ code: 0 })
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
      stderr:
        'SERVER_MISSING: The package bowline-server is not installed (Run `npm run package` in a clone, and install both tarballs.)\n',
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
      await writeFile(join(client, 'first.mjs'), readFirstProgram(site.url('')))

      const ended = await run(client, path, ['first.mjs'])

      expect(ended.stderr).toBe('')
      expect(ended.stdout).toMatch(/^.+ \(\d+ ms, \d+ credits\)\n$/)
    },
  )

  test.each(entries)('prints the required Node.js version when an older one loads $entry', async ({ entry }) => {
    await linkPackages(client, '@playwright/test', 'vitest', 'playwright-core')
    const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.11.0"})'

    const ended = await run(client, process.execPath, ['--import', old, '-e', `import(${JSON.stringify(entry)})`])

    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^BowlineError: bowline needs Node\.js 22 or newer\. This is Node\.js 20\.11\.0 \(/m)
    expect(ended.stderr).toContain(`code: 'CONFIG_INVALID'`)
  })

  test.skipIf(!isOldNode)('can be loaded as far as that check by Node.js 20', async () => {
    const program = entries.map(({ entry }) => `import(${JSON.stringify(entry)}).catch((e) => console.log(e.message))`)

    const ended = await run(client, oldNode, ['-e', program.join('\n')])

    const messages = ended.stdout.trimEnd().split('\n')
    expect(messages).toEqual(entries.map(() => expect.stringMatching(/^bowline needs Node\.js 22 or newer\./)))
  })

  test('type-checks with no settings but strict, a module system and a target, and without @types/node', async () => {
    const plain = join(folder, 'plain')
    await makeProject(plain)
    await mkdir(join(plain, 'node_modules'))
    await symlink(join(client, 'node_modules/bowline'), join(plain, 'node_modules/bowline'))
    await writeFile(join(plain, 'program.mts'), plainConsumer)

    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024']
    expect(await run(plain, process.execPath, [...compiler, ...flags, 'program.mts'])).toEqual(passed)
  })

  test('type-checks with strict and module resolution bundler', async () => {
    expect(await typeCheck(client, 'bundler', { 'consumer.ts': consumer })).toEqual(passed)
  })
})

describe('an empty project with bowline-server', () => {
  test('has at most 116 packages and 78 MB', async () => {
    const size = await measure(server)

    // A few more than on the day of writing: npm installs the newest versions of dependencies, and
    // one whose parts differ in version is installed several times.
    expect(size.packages).toBeLessThanOrEqual(116)
    expect(size.megabytes).toBeLessThanOrEqual(78)
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

describe('the documented commands', () => {
  const withoutComments = (commands: readonly string[]) => commands.map((command) => command.replace(/ +#.*/, ''))

  test.each(ofReadme)('of $source work in an empty folder', async ({ source, commands }) => {
    const isInstalled = commands[0] === installServer
    const project = isInstalled ? server : await makeEmptyFolder(join(folder, source.replaceAll(/\W/g, '-')))
    await writeFile(join(project, 'first.mjs'), readFirstProgram(site.url('')))

    for (const command of isInstalled ? commands.slice(1) : commands) {
      const ended = await runShell(project, command)

      expect(ended, command).toMatchObject({ code: 0 })
      if (command.startsWith('npx bowline serve')) expect(ended.stdout).toMatch(serveOutputPattern())
    }

    const { packages } = await readLock(project)
    expect(packages['node_modules/bowline']?.resolved).toMatch(/^file:.*bowline-[\d.]+\.tgz$/)
  })

  test('install a driver, a server, and both', () => {
    expect(ofReadme.map(({ commands }) => withoutComments(commands))).toEqual([
      [expect.stringMatching(/bowline-[\d.]+\.tgz playwright-core$/), 'node first.mjs'],
      [expect.stringMatching(/^npm install /), 'npx bowline-server doctor', 'npx bowline-server'],
      [expect.stringMatching(/^npm install .* playwright-core$/), 'npx bowline serve'],
    ])
  })

  test('are those of the README on the other pages', () => {
    const tested = new Set(ofReadme.flatMap(({ commands }) => withoutComments(commands)))

    expect(installBlocks.length).toBeGreaterThan(ofReadme.length)
    expect(
      installBlocks.flatMap(({ commands }) => withoutComments(commands)).filter((line) => !tested.has(line)),
    ).toEqual([])
  })

  test('name the tarball of bowline wherever they name that of the server, which is on no registry', () => {
    const lines = readTarballLines().filter((line) => line.includes('bowline-server-'))

    expect(lines.length).toBeGreaterThan(3)
    expect(lines.filter((line) => !/\bbowline-\d/.test(line))).toEqual([])
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

const passed: Ended = { code: 0, stdout: '', stderr: '' }

/** Runs a command line in a shell. If it starts a server, stops that once it prints its URL. */
async function runShell(cwd: string, command: string): Promise<Ended> {
  const dataDir = join(cwd, 'data')
  const { BOWLINE_API_KEY: apiKey, ...common }: NodeJS.ProcessEnv = { ...environment(), ...npmSettings }
  const isServer = /^npx bowline(?:-server| serve)(?: *#|$)/.test(command)
  const env = isServer
    ? { ...common, BOWLINE_PORT: '0', BOWLINE_DATA_DIR: dataDir, BOWLINE_WARM: '0' }
    : { ...common, BOWLINE_API_KEY: apiKey }
  const child = spawn('sh', ['-c', command], { cwd, env })
  const printed = { stdout: '', stderr: '' }
  for (const kind of ['stdout', 'stderr'] as const) {
    child[kind].setEncoding('utf8').on('data', (text: string) => {
      printed[kind] += text
      if (!isServer || !text.includes('listens at http')) return
      const { pid } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')) as { readonly pid: number }
      process.kill(pid, 'SIGTERM')
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, ...printed }
}

/** Runs npm in a project. The packages that the repository has installed come from npm's cache. */
async function npm(path: string, ...args: readonly string[]): Promise<void> {
  const cli = process.env['npm_execpath'] ?? 'npm'
  const [command, first] = cli.endsWith('.js') ? [process.execPath, [cli]] : [cli, []]
  const ended = await run(path, command, [...first, ...args], npmSettings)
  expect(ended, `npm ${args.join(' ')}`).toMatchObject({ code: 0 })
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

/** The environment of a user: the variables of the test lab, without those of this test runner. */
function environment(): NodeJS.ProcessEnv {
  const { VITEST: _, NODE_ENV: __, NODE_OPTIONS: ___, ...rest } = process.env
  return {
    ...rest,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    ...(lab === undefined ? {} : { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }),
  }
}

async function run(
  cwd: string,
  program: string,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const env = { ...environment(), ...settings }
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr }),
    )
  })
}
