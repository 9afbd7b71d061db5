import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { startLab } from './lab/lab.ts'
import { setEnvironment } from './lab/set-environment.ts'
import { startSite } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

const run = promisify(execFile)

function hasPythonPlaywright(): boolean {
  return spawnSync('python3', ['-c', 'import playwright']).status === 0
}

async function startFixture() {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-examples-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  // The command that `npm install -g bowline` adds to PATH, run from source.
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(repository, 'src/cli/main.ts')}' "$@"\n`
  await writeFile(join(folder, 'bowline'), shim, { mode: 0o755 })
  // With the template of an empty store, which takes seconds to create.
  await symlink(join(homedir(), '.cache'), join(folder, '.cache'))
  const site = undo.use(await startSite())
  const { server } = undo.use(await startLab())
  const owned = undo.move()
  const own = {
    HOME: folder,
    PATH: [folder, join(repository, 'node_modules/.bin'), process.env['PATH']].join(':'),
    BOWLINE_BASE_URL: server.url,
    BOWLINE_API_KEY: server.apiKey,
    SITE: site.url(''),
  }
  const env = { ...process.env, ...own }
  return {
    folder,
    site,
    server,
    /** Runs a program in this process, which has loaded the client and the libraries already. */
    load: async (file: string, ...args: readonly string[]) => printedBy(file, { args, env: own }),
    run: (file: string, ...args: readonly string[]) =>
      run(process.execPath, [...wasmCompilerFlags, file, ...args], {
        cwd: join(repository, 'examples'),
        env,
      }),
    runScript: (file: string, ...args: readonly string[]) =>
      run('sh', [file, ...args], { cwd: join(repository, 'examples'), env }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

let loads = 0

/** Imports a program. Returns the lines it has printed. */
async function printedBy(
  file: string,
  { args, env }: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const url = pathToFileURL(join(repository, 'examples', file))
  // Another module each time.
  url.searchParams.set('load', String((loads += 1)))
  using _environment = setEnvironment(env)
  const { argv } = process
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    process.argv = [...argv.slice(0, 1), file, ...args]
    await import(url.href)
    return log.mock.calls.map((words) => `${words.join(' ')}\n`).join('')
  } finally {
    log.mockRestore()
    process.argv = argv
  }
}

describe('the examples', () => {
  let fixture: Awaited<ReturnType<typeof startFixture>>
  beforeAll(async () => {
    fixture = await startFixture()
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('01 prints the title and the bill', async () => {
    const printed = await fixture.load('01-first-session.ts', fixture.site.url('/title?text=Moored'))

    expect(printed).toMatch(/^Moored \(\d+ ms, 2 credits\)\n$/)
  })

  test('02 prints a bill and the links of a page', async () => {
    const printed = await fixture.load('02-puppeteer.ts', fixture.site.url('/'))

    expect(printed).toBe('Ended by return, 2 credits\nLinks: /links\n')
  })

  test('03 stays signed in', async () => {
    const printed = await fixture.load('03-profile-login-kept.ts', fixture.site.url('/'))

    expect(printed).toBe('Saved version 1\nStill there: user=ann\n')
  })

  test('04 resumes from its checkpoint', async () => {
    const urls = ['Mole', 'Quay'].map((text) => fixture.site.url(`/title?text=${text}`))
    const args = [join(await mkdtemp(join(fixture.folder, '04-')), 'titles.jsonl'), ...urls] as const

    const first = await fixture.load('04-pool-with-budget.ts', ...args)
    const second = await fixture.load('04-pool-with-budget.ts', ...args)

    const titles = `${urls[0]}: Mole\n${urls[1]}: Quay\n`
    expect(first).toBe(`About 4 credits\n${titles}2 done (0 of them before), 0 failed, stopped by: end\n`)
    expect(second).toBe(`About 4 credits\n${titles}2 done (2 of them before), 0 failed, stopped by: end\n`)
  })

  test('05 prints the pages found by a search and a map', async () => {
    const printed = await fixture.load('05-search-map-batch.ts', 'plain', fixture.site.url('/'))

    expect(printed).toMatch(/^At most 8 credits\n200 http:\S+: \d+ characters\n/)
  })

  test('06 passes', async () => {
    const cli = join(repository, 'node_modules/@playwright/test/cli.js')
    const flags = ['--reporter=list', `--output=${join(fixture.folder, 'results')}`]

    const { stdout } = await fixture.run(cli, 'test', '06-qa-suite', ...flags)

    expect(stdout).toContain('2 passed')
  })

  test('07 prints the changes', async () => {
    let visits = 0
    await using shop = await startSite({
      '/price': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<h1>Ropes</h1><p>They cost ${++visits} euros a metre.</p>`)
      },
    })

    const printed = await fixture.load('07-monitor.ts', shop.url('/price'))

    expect(printed).toMatch(/^first check: new\nsecond check: changed/)
    expect(printed).toContain('-They cost')
  })

  test('08 runs a shell command with a session', async () => {
    const { stdout, stderr } = await fixture.run('../scripts/run.mjs', 'example', '08')

    expect(stdout).toMatch(/^session:  [\da-f-]{36}\nprotocol: ws\n$/)
    expect(stderr).toContain('2 credits')
  })

  test('09 passes', async () => {
    const { stdout } = await fixture.run('09-embedded-in-a-test.ts')

    expect(stdout).toContain('pass 1')
  })

  test('10 leaves no session behind', async () => {
    const { url, apiKey } = fixture.server

    const printed = await fixture.load('10-attach-any-base-url.ts', url, apiKey, fixture.site.url('/'))

    expect(printed).toBe('Title: Plain\nSessions still active: 0\n')
  })

  test('Crawlee crawls on a session', async () => {
    const { stdout } = await fixture.run('recipes/crawlee.ts', fixture.site.url('/'))

    expect(stdout).toMatch(/\/: Plain\n/)
    expect(stdout).toMatch(/\/links: /)
    expect(stdout).toMatch(/2 credits\n$/)
  })

  test('raw CDP drives a session', async () => {
    const printed = await fixture.load('recipes/raw-cdp.ts', fixture.site.url('/title?text=Bollard'))

    expect(printed).toBe('Title: Bollard\n')
  })

  const python = hasPythonPlaywright()
    ? 'a Python script gets a session'
    : 'skipped, as Python has no package "playwright" here'
  test.skipIf(!hasPythonPlaywright())(python, async () => {
    const script = ['exec', '--', 'python3', 'recipes/python-playwright.py', fixture.site.url('/title?text=Cleat')]

    const { stdout } = await fixture.run('../src/cli/main.ts', ...script)

    expect(stdout).toBe('Title: Cleat\n')
  })

  test('the public command line scrapes and maps a site', async () => {
    const { stdout } = await fixture.runScript('recipes/firecrawl-cli.sh', fixture.site.url('/'))

    expect(stdout).toContain('# Plain')
    expect(stdout).toContain(fixture.site.url('/links'))
  })

  test('the public MCP server scrapes a page', async () => {
    const printed = await fixture.load('recipes/firecrawl-mcp.ts', fixture.site.url('/'))

    expect(printed).toContain('# Plain')
  })
})
