import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Answer } from '../../../test/lab/lab.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

/** A data directory and a database for servers that follow each other. */
async function openFixture() {
  await using undo = new AsyncDisposableStack()
  const dataDir = undo.use(await temporaryFolder()).path
  const databaseUrl = undo.use(await (await sharedPostgres()).createDatabase()).url
  const owned = undo.move()
  const env = { DATABASE_URL: databaseUrl }
  return {
    dataDir,
    startProcess: async (...flags: readonly string[]) => startServerProcess({ dataDir, flags, env }),
    startNext: async () => startLab({ dataDir, databaseUrl }),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

/** Folders of running browsers below the data directory. */
async function browserFolders(dataDir: string): Promise<readonly string[]> {
  const boots = await readdir(join(dataDir, 'run')).catch(() => [])
  const folders = await Promise.all(boots.map(async (boot) => readdir(join(dataDir, 'run', boot)).catch(() => [])))
  return folders.flat()
}

test('a server killed with SIGKILL leaves no browser or folder, and its sessions are billed once by the next starts', async () => {
  const profile = { name: 'acme' }
  await using fixture = await openFixture()
  const { dataDir, startNext } = fixture
  await using killed = await fixture.startProcess('--warm', '1')
  const { id } = await killed.create({ ttl: 60, profile })
  await expect.poll(() => browserPids(dataDir).length).toBeGreaterThanOrEqual(2)

  killed.kill('SIGKILL')
  await killed.exited

  await expect.poll(() => browserPids(dataDir), { timeout: 5000 }).toEqual([])
  await expect.poll(async () => browserFolders(dataDir), { timeout: 5000 }).toEqual([])
  let bill: Answer
  {
    await using next = await startNext()
    expect(next.server.recovered).toBe(1)
    bill = await next.api('GET', `/v2/browser/${id}`)
    expect(bill.body).toMatchObject({ status: 'destroyed', endReason: 'lost', creditsBilled: 2 })
    expect(bill.body['sessionDurationMs']).toBeLessThan(60_000)
    const error = 'The server that ran the session was lost: the profile still has no saved version'
    expect(bill.body['profile']).toEqual({ name: 'acme', saveChanges: true, loadedVersion: null, error })
    // The right to write its profile is free at once.
    await next.createSession({ ttl: 60, profile })
  }
  await using last = await startNext()

  expect(last.server.recovered).toBe(0)
  const { body: again } = await last.api('GET', `/v2/browser/${id}`)
  expect(again).toMatchObject({
    endReason: 'lost',
    creditsBilled: 2,
    sessionDurationMs: bill.body['sessionDurationMs'],
  })
})

// Twice in a row, as a process group and npm deliver it, counts once.
test('a server that gets SIGINT twice in a row ends and bills every session, notifies the clients, and exits with 0', async () => {
  await using fixture = await openFixture()
  const { dataDir, startNext } = fixture
  await using server = await fixture.startProcess()
  const { id, cdpUrl } = await server.create({ ttl: 60 })
  await using cdp = await connectCdp(cdpUrl)

  server.kill('SIGINT')
  server.kill('SIGINT')

  expect(await cdp.closed).toEqual({ code: 4004, reason: 'drained' })
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(browserPids(dataDir)).toEqual([])
  expect(await browserFolders(dataDir)).toEqual([])
  await using next = await startNext()
  expect(next.server.recovered).toBe(0)
  const { body } = await next.api('GET', `/v2/browser/${id}`)
  expect(body).toMatchObject({ status: 'destroyed', endReason: 'drained', creditsBilled: 2 })
})

test('a second, different signal ends the process at once', async () => {
  await using fixture = await openFixture()
  const { dataDir } = fixture
  await using server = await fixture.startProcess()
  await server.create({ ttl: 60 })

  server.kill('SIGTERM')
  server.kill('SIGINT')

  // The kernel decides which of two pending signals is delivered first.
  expect([130, 143]).toContain((await server.exited).code)
  await expect.poll(() => browserPids(dataDir), { timeout: 5000 }).toEqual([])
})
