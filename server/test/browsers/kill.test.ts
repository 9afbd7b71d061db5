import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openBrowserHost } from '../../src/browsers/host.ts'
import { startJanitor } from '../../src/browsers/janitor.ts'
import { writeLedger } from '../../src/browsers/ledger.ts'
import { groupMembers, readProcess } from '../../src/browsers/process-table.ts'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'
import { openDataDir, until, untilNothingIsLeft } from './browser-fixture.ts'
import { replaceInFile } from './replace-in-file.ts'
import { startServerLike } from './server-like.ts'

/** Opens a browser host in this process, as the next start of a server does. */
async function openNextHost(dataDir: string) {
  const isolation = await knownIsolation({ browser: 'shell', isolation: 'auto' })
  return openBrowserHost({ dataDir, choice: 'shell', isolation, environment: process.env })
}

function janitorOf(bootPath: string): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .find(
      (pid) =>
        Number.isInteger(pid) && argumentsOf(pid).includes('bowline-janitor') && argumentsOf(pid).includes(bootPath),
    )
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

async function untilGone(pid: number | undefined, what: string): Promise<void> {
  await until(() => groupMembers(pid!).length === 0, `the browser ${what} exits`)
}

test('a killed server leaves no browser, suspended or not, and no folder, with each mechanism', async () => {
  await using dataDir = await openDataDir()
  const mechanisms = ['own network', 'bubblewrap', 'signal', 'pipe'] as const
  await using server = await startServerLike(dataDir.path, [...mechanisms, ...mechanisms])
  for (const pid of server.browserPids.slice(mechanisms.length)) process.kill(-pid, 'SIGSTOP')

  await server.kill()

  await untilNothingIsLeft(dirname(server.bootPath))
  for (const [index, pid] of server.browserPids.entries()) await untilGone(pid, mechanisms[index % mechanisms.length]!)
})

test('without its janitor, a killed server leaves only suspended browsers on a pipe, and the next start removes them', async () => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, ['signal', 'bubblewrap', 'pipe', 'pipe'])
  const [byKernel, byBubblewrap, byPipe, left] = server.browserPids
  // The kernel kills the main process of the first, bubblewrap all processes of the second, the third exits by itself.
  process.kill(byKernel!, 'SIGSTOP')
  for (const pid of [byBubblewrap, left]) process.kill(-pid!, 'SIGSTOP')
  process.kill(janitorOf(server.bootPath)!, 'SIGKILL')

  await server.kill()

  await untilGone(byKernel, 'on a signal')
  await untilGone(byBubblewrap, 'in bubblewrap')
  await untilGone(byPipe, 'on a pipe')
  expect(groupMembers(left!)).toContain(left)
  await using next = await openNextHost(dataDir.path)
  expect(next.swept).toEqual({ browsersKilled: 1, foldersRemoved: 1 })
  await untilNothingIsLeft(server.bootPath)
  await untilGone(left, 'left over')
})

test('neither a start nor a janitor kills the browser of another running server, even if an old ledger names its pid', async () => {
  await using dataDir = await openDataDir()
  await using unrelated = await startServerLike(join(dataDir.path, 'unrelated'), ['bubblewrap'])
  const [pid] = unrelated.browserPids

  await using next = await openNextHost(join(dataDir.path, 'unrelated'))

  expect(next.swept).toEqual({ browsersKilled: 0, foldersRemoved: 0 })
  expect(groupMembers(pid!)).toContain(pid)

  await using server = await startServerLike(join(dataDir.path, 'server'), [])
  const stale = join(server.bootPath, 'stale')
  await mkdir(stale)
  writeLedger(stale, 'browser.json', process.pid)
  await replaceInFile(join(stale, 'browser.json'), `"pid":${process.pid}`, `"pid":${pid}`)

  await server.kill()

  await untilNothingIsLeft(server.bootPath)
  expect(readProcess(pid!)?.state).not.toBe('Z')
  expect(groupMembers(pid!)).toContain(pid)
})

test('the janitor exits without deleting anything when the server closes it', async () => {
  await using boot = await openDataDir()
  await mkdir(join(boot.path, 'kept'))
  const janitor = await startJanitor(boot.path)

  await janitor[Symbol.asyncDispose]()

  expect(argumentsOf(janitor.pid)).not.toContain('bowline-janitor')
  expect(await readdir(boot.path)).toEqual(['kept'])
})
