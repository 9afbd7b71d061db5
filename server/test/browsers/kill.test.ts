import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startJanitor } from '../../src/browsers/janitor.ts'
import { writeLedger } from '../../src/browsers/ledger.ts'
import { groupMembers, readProcess } from '../../src/browsers/process-table.ts'
import { openDataDir, until, untilNothingIsLeft } from './browser-fixture.ts'
import { replaceInFile } from './replace-in-file.ts'
import { startServerLike, type KillMechanism } from './server-like.ts'

const mechanisms: readonly KillMechanism[] = ['own network', 'bubblewrap', 'signal', 'pipe']

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

test.each(mechanisms)('a killed server leaves no browser and no folder (with %s)', async (mechanism) => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, mechanism)

  await server.kill()

  await untilNothingIsLeft(dirname(server.bootPath))
  await until(() => groupMembers(server.browserPid).length === 0, 'the browser exits')
})

test.each(mechanisms)('a killed server leaves no suspended browser and no folder (with %s)', async (mechanism) => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, mechanism)
  process.kill(-server.browserPid, 'SIGSTOP')

  await server.kill()

  await untilNothingIsLeft(server.bootPath)
  await until(() => groupMembers(server.browserPid).length === 0, 'the browser exits')
})

test('the kernel kills a suspended browser when the server is killed, even without the janitor', async () => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, 'signal')
  process.kill(server.browserPid, 'SIGSTOP')
  process.kill(janitorOf(server.bootPath)!, 'SIGKILL')

  await server.kill()

  await until(() => groupMembers(server.browserPid).length === 0, 'the browser exits')
})

test('bubblewrap ends a browser whose processes are all suspended when the server is killed', async () => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, 'bubblewrap')
  process.kill(-server.browserPid, 'SIGSTOP')
  process.kill(janitorOf(server.bootPath)!, 'SIGKILL')

  await server.kill()

  await until(() => groupMembers(server.browserPid).length === 0, 'the browser exits')
})

test('a browser exits when its pipe closes, after server and janitor were killed', async () => {
  await using dataDir = await openDataDir()
  await using server = await startServerLike(dataDir.path, 'pipe')
  process.kill(janitorOf(server.bootPath)!, 'SIGKILL')

  await server.kill()

  await until(() => groupMembers(server.browserPid).length === 0, 'the browser exits')
})

test('the next start removes browsers and folders of a killed server and janitor', async () => {
  await using dataDir = await openDataDir()
  await using first = await startServerLike(dataDir.path, 'pipe')
  process.kill(janitorOf(first.bootPath)!, 'SIGKILL')
  process.kill(-first.browserPid, 'SIGSTOP')
  await first.kill()

  await using second = await startServerLike(dataDir.path)

  expect(second.swept).toEqual({ browsersKilled: 1, foldersRemoved: 1 })
  await untilNothingIsLeft(first.bootPath)
  await until(() => groupMembers(first.browserPid).length === 0, 'the browser exits')
})

test('a start does not affect another running server', async () => {
  await using dataDir = await openDataDir()
  await using first = await startServerLike(dataDir.path)

  await using second = await startServerLike(dataDir.path)

  expect(second.swept).toEqual({ browsersKilled: 0, foldersRemoved: 0 })
  expect(groupMembers(first.browserPid)).toContain(first.browserPid)
})

test('the janitor does not kill a process that reuses a pid of the ledger', async () => {
  await using dataDir = await openDataDir()
  await using unrelated = await startServerLike(join(dataDir.path, 'unrelated'))
  await using server = await startServerLike(join(dataDir.path, 'server'))
  const stale = join(server.bootPath, 'stale')
  await mkdir(stale)
  writeLedger(stale, 'browser.json', server.browserPid)
  await replaceInFile(join(stale, 'browser.json'), `"pid":${server.browserPid}`, `"pid":${unrelated.browserPid}`)

  await server.kill()

  await untilNothingIsLeft(server.bootPath)
  expect(readProcess(unrelated.browserPid)?.state).not.toBe('Z')
  expect(groupMembers(unrelated.browserPid)).toContain(unrelated.browserPid)
})

test('the janitor exits without deleting anything when the server closes it', async () => {
  await using boot = await openDataDir()
  await mkdir(join(boot.path, 'kept'))
  const janitor = await startJanitor(boot.path)

  await janitor[Symbol.asyncDispose]()

  expect(argumentsOf(janitor.pid)).not.toContain('bowline-janitor')
  expect(await readdir(boot.path)).toEqual(['kept'])
})
