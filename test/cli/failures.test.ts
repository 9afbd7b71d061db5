import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BowlineError } from '../../src/index.ts'
import { describeExitCodes, exitCodeOf } from '../../src/terminal/exit-codes.ts'
import { startProgram } from '../client/program.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand } from '../lab/run-command.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { repository } from '../lab/source-tree.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let home: string
beforeAll(async () => {
  lab = fixture.use(await startLab())
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
})
afterAll(async () => fixture.disposeAsync())

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runCommand(args, { env: { HOME: home, BOWLINE_DATA_DIR: lab.dataDir, ...env } })
}

const unknownId = '01900000-0000-7000-8000-000000000000'

describe('a failing command exits with its documented code and prints JSON with --json', () => {
  test.each([
    [2, 'USAGE_INVALID', ['sessions', 'get'], {}],
    [2, 'USAGE_INVALID', ['sessions', 'list', '--colour'], {}],
    [3, 'CONFIG_INVALID', ['sessions', 'list'], { BOWLINE_DATA_DIR: '/nonexistent' }],
    [4, 'UNAUTHORIZED', ['sessions', 'list'], { BOWLINE_API_KEY: 'bl-wrong' }],
    [5, 'SESSION_NOT_FOUND', ['sessions', 'get', unknownId], {}],
    [5, 'SESSION_NOT_FOUND', ['sessions', 'delete', unknownId], {}],
    [7, 'CONNECTION_FAILED', ['sessions', 'list'], { BOWLINE_BASE_URL: 'http://127.0.0.1:9', BOWLINE_API_KEY: 'bl-x' }],
    [1, 'LOCAL_FILE_FAILED', ['profiles', 'import', 'p', '/nofile'], {}],
  ])('%i: %s', async (code, name, args, env) => {
    const { code: actual, errors } = await run([...args, '--json'], env)

    expect(errors.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(errors)).toMatchObject({ code: name, message: expect.any(String), hint: expect.any(String) })
    expect(actual).toBe(code)
  })

  test.each([
    [['sessions', 'list', '--jsn'], `unknown option '--jsn'`, 'Did you mean --json?'],
    [['sessions', 'lst'], `unknown command 'lst'`, 'Did you mean list?'],
    [['jobs', 'get', unknownId], `unknown command 'get'`, 'Did you mean show?'],
    [
      ['teams', 'set-credits', 'press', 'lots'],
      `'lots' is invalid for <credits>. It must be a whole number or "unmetered".`,
      expect.any(String),
    ],
  ])('the JSON of the usage error of %j has the suggestion in its hint', async (args, message, hint) => {
    const { code, errors } = await run([...args, '--json'])

    expect(JSON.parse(errors)).toMatchObject({ code: 'USAGE_INVALID', message, hint })
    expect(code).toBe(2)
  })

  test('a port that fetch blocks is named', async () => {
    const env = { BOWLINE_BASE_URL: 'http://127.0.0.1:6000', BOWLINE_API_KEY: 'bl-x' }
    const { code, errors } = await run(['sessions', 'list'], env)

    expect(errors).toContain('failed: port 6000 is blocked by `fetch`')
    expect(code).toBe(7)
  })

  test('the JSON of a server error has its status and request id', async () => {
    const { errors } = await run(['sessions', 'get', unknownId, '--json'])

    expect(JSON.parse(errors)).toMatchObject({ status: 404, requestId: expect.any(String) })
  })

  test('the exit codes are in the help and in the guide', async () => {
    const guide = await readFile(join(repository, 'docs/guide/command-line.md'), 'utf8')
    const { out } = await run(['--help'])

    expect(out).toContain(describeExitCodes())
    for (const line of describeExitCodes().matchAll(/^ +(\d) +(.*)$/gm)) {
      expect(guide).toMatch(new RegExp(`\\| \`${line[1]}\` +\\| ${line[2]} +\\|`))
    }
  })
})

test.each([
  [['scrape', 'https://example.com', '--timeout', '5'], 'from 1000 to 600000, in milliseconds'],
  [['scrape', 'https://example.com', '--country', 'Germany'], 'two-letter country code'],
  [['map', 'https://example.com', '--limit', '0'], 'from 1 to 100000'],
  [['search', 'x', '--limit', '0'], 'from 1 to 100'],
  [['exec', '--ttl', '5', '--', 'true'], 'from 30 to 86400, in seconds'],
  [['usage', '--days', 'abc'], '--days takes no value, got abc'],
  [
    ['teams', 'set-credits', 'press', 'lots'],
    `USAGE_INVALID: 'lots' is invalid for <credits>. It must be a whole number`,
  ],
  [['activity', '--endpoint', 'llmstxt'], 'Allowed choices are scrape, crawl, batch_scrape,'],
  [['help', 'jbos'], `USAGE_INVALID: unknown command 'jbos' (Did you mean jobs?)`],
  [['help', 'sessions', 'lst'], `USAGE_INVALID: unknown command 'lst' (Did you mean list?)`],
])('%j is rejected without a request, and the error names the allowed values of the flag', async (args, words) => {
  const { code, errors } = await run(args)

  expect(errors).toContain(words)
  expect(code).toBe(2)
})

test('output to a full disk causes a one-line error', async () => {
  const child = spawn('sh', ['-c', '"$0" src/cli/main.ts keys list --json > /dev/full', process.execPath], {
    cwd: repository,
    env: { ...process.env, HOME: home, BOWLINE_DATA_DIR: lab.dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })

  const [code] = (await once(child, 'close')) as [number]

  expect(errors).toMatch(/^LOCAL_FILE_FAILED: Cannot write to standard output: .*ENOSPC.*\n$/)
  expect(code).toBe(1)
})

describe('a server that cannot start', () => {
  // In separate processes, since `serve` sets flags of V8.
  const serve = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    await using program = startProgram('src/cli/main.ts', ['serve', ...args], { HOME: home, ...env })
    const { code } = await program.ended
    return { code, errors: program.errors() }
  }

  test('prints one line when its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    await using database = await (await sharedPostgres()).createDatabase()
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-port-'))
    const { port } = taken.address() as { port: number }

    const flags = ['--port', String(port), '--data-dir', folder.path, '--warm', '0', '--log-level', 'silent']
    const { code, errors } = await serve(flags, { DATABASE_URL: database.url })

    expect(errors).toMatch(new RegExp(`^LISTEN_FAILED: Port ${port} on 127.0.0.1 is already in use \\(.*--port`))
    expect(errors.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(3)
    taken.close()
  })

  test('prints one line of JSON with --json', async () => {
    const { code, errors } = await serve(['--port', 'x', '--json'])

    expect(errors.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(errors)).toMatchObject({ code: 'CONFIG_INVALID', message: expect.any(String) })
    expect(code).toBe(3)
  })

  test.each([
    ['data directory', { dataDir: '/proc/x' }, /^The data directory \/proc\/x cannot be used: .*$/],
    ['folder of blobs', { blobs: '/proc/x/y' }, /^\/proc\/x cannot be used: .*$/],
  ])('names its %s if it cannot be created', async (_, options, message) => {
    const error: unknown = await startLab(options).catch((reason: unknown) => reason)

    expect(error).toMatchObject({ code: 'DATA_DIR_UNUSABLE', message: expect.stringMatching(message) })
    expect(exitCodeOf(error as BowlineError)).toBe(3)
  })
})

const oldNode = '/usr/bin/node'
const oldVersion = await promisify(execFile)(oldNode, ['--version']).then(
  ({ stdout }) => stdout.trim(),
  () => '',
)

test.skipIf(!/^v(1\d|2[01])\./.test(oldVersion))(
  'an older Node.js prints the required version in one sentence (skipped: needs Node.js below 22 at /usr/bin/node)',
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-node-'))
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
    await mkdir(join(folder.path, 'cli'))
    await mkdir(join(folder.path, 'terminal'))
    for (const name of ['cli/main', 'terminal/required-node']) {
      const source = await readFile(join(repository, `src/${name}.ts`), 'utf8')
      await writeFile(join(folder.path, `${name}.js`), stripTypeScriptTypes(source).replaceAll(".ts'", ".js'"))
    }

    const runOld = async (args: readonly string[]) =>
      promisify(execFile)(oldNode, [join(folder.path, 'cli/main.js'), ...args])

    const message = `The bowline command needs Node.js 22 or newer. This is Node.js ${oldVersion.slice(1)} (${oldNode}).`
    const json = JSON.stringify({ code: 'CONFIG_INVALID', message })
    await expect(runOld(['serve'])).rejects.toMatchObject({ code: 3, stderr: `${message}\n` })
    await expect(runOld(['keys', 'list', '--json'])).rejects.toMatchObject({ code: 3, stderr: `${json}\n` })
    await expect(runOld(['exec', '--', 'x', '--json'])).rejects.toMatchObject({ code: 3, stderr: `${message}\n` })
  },
)

const hasTerminals = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux')

test.skipIf(!hasTerminals)('Ctrl-C at the prompt of a secret exits with 130 and prints no error', async () => {
  const command = `'${process.execPath}' src/cli/main.ts secrets set PASSWORD --origin https://example.com`
  const env = { ...process.env, HOME: home, BOWLINE_DATA_DIR: lab.dataDir }
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd: repository, env })
  const closed = once(terminal, 'close')
  let output = ''
  terminal.stdout.on('data', (data: Buffer) => {
    output += data.toString()
    if (output === 'Value of PASSWORD: ') terminal.stdin.write('\u0003')
  })

  expect(await closed).toEqual([130, null])
  expect(output.trim()).toBe('Value of PASSWORD:')
})
