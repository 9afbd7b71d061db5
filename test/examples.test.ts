import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../src/server.ts'
import { startSite } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

const run = promisify(execFile)

const startWorld = async () => {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-examples-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  // What `npm install -g bowline` puts on PATH, unbuilt.
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(repository, 'src/cli/main.ts')}' "$@"\n`
  await writeFile(join(folder, 'bowline'), shim, { mode: 0o755 })
  // With the template of an empty store, which takes seconds to make.
  await symlink(join(homedir(), '.cache'), join(folder, '.cache'))
  const site = undo.use(await startSite())
  const server = undo.use(
    await startServer({ port: 0, dataDir: join(folder, 'data'), allow: ['127.0.0.1'], warm: 1, logLevel: 'silent' }),
  )
  const owned = undo.move()
  const env = {
    ...process.env,
    HOME: folder,
    PATH: `${folder}:${process.env['PATH']}`,
    BOWLINE_BASE_URL: server.url,
    BOWLINE_API_KEY: server.apiKey,
  }
  return {
    site,
    server,
    run: (file: string, ...args: readonly string[]) =>
      run(process.execPath, ['--conditions=bowline-source', file, ...args], { cwd: join(repository, 'examples'), env }),
    runScript: (file: string) => run('sh', [file], { cwd: join(repository, 'examples'), env }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('the examples run as they stand', () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('01 prints a title and a bill', async () => {
    const { stdout } = await world.run('01-first-session.ts', world.site.url('/title?text=Moored'))

    expect(stdout).toMatch(/^Moored \(\d+ ms, 2 credits\)\n$/)
  })

  test('02 prints a bill and the links of a page', async () => {
    const { stdout } = await world.run('02-puppeteer.ts', world.site.url('/'))

    expect(stdout).toBe('Ended by return, 2 credits\nLinks: /links\n')
  })

  test('03 leaves no session behind', async () => {
    const { url, apiKey } = world.server

    const { stdout } = await world.run('03-attach-any-base-url.ts', url, apiKey, world.site.url('/'))

    expect(stdout).toBe('Title: Plain\nSessions still active: 0\n')
  })

  test('04 gives a shell command a session', async () => {
    const { stdout, stderr } = await world.runScript('04-exec-any-language.sh')

    expect(stdout).toMatch(/^session:  [\da-f-]{36}\nprotocol: ws\n$/)
    expect(stderr).toContain('2 credits')
  })

  test('05 passes', async () => {
    const { stdout } = await world.run('05-embedded-in-a-test.ts')

    expect(stdout).toContain('pass 1')
  })
})
