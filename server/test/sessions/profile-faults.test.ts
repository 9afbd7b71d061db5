import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { openCuttableBucket } from '../../../test/lab/blob-locations.ts'
import { labS3Credentials } from '../../../test/lab/bucket.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { memoriesOf, memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import type { LabDatabase } from '../../../test/lab/postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { visit } from '../../../test/lab/visit.ts'

let site: Site
beforeAll(async () => {
  site = await startSite(memoryPages)
})
afterAll(async () => site[Symbol.asyncDispose]())

type Create = ServerProcess['create']

/** Opens a session that stores `value` in the profile. Returns its id. */
async function open(create: Create, name: string, value: string): Promise<string> {
  const session = await create({ profile: { name } })
  await visit(session, async (page) => remember(page, site, value))
  return session.id
}

/** Opens a session with the profile. Returns its id and what the profile has stored. */
async function read(create: Create, name: string, saveChanges: boolean) {
  const session = await create({ profile: { name, saveChanges } })
  return { id: session.id, memories: await visit(session, async (page) => recall(page, site)) }
}

// Each test continues with the profiles of the previous one.
describe('profiles in a bucket', () => {
  const undo = new AsyncDisposableStack()
  let bucket: Awaited<ReturnType<typeof openCuttableBucket>>
  let databaseUrl: string
  let dataDir: string
  let killed: ServerProcess
  let unsaved: string
  let pending: string
  beforeAll(async () => {
    bucket = undo.use(await openCuttableBucket())
    databaseUrl = undo.use(await (await sharedPostgres()).createDatabase()).url
    dataDir = undo.use(await temporaryFolder()).path
    const env = {
      DATABASE_URL: databaseUrl,
      BOWLINE_BLOBS: bucket.address,
      AWS_ACCESS_KEY_ID: labS3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labS3Credentials.secretAccessKey,
    }
    killed = undo.use(await startServerProcess({ dataDir, env }))
  })
  afterAll(async () => undo.disposeAsync())

  const start = async (options: { readonly dataDir?: string } = {}): Promise<Lab> =>
    startLab({
      databaseUrl,
      blobs: bucket.address,
      s3AccessKeyId: labS3Credentials.accessKeyId,
      s3SecretAccessKey: labS3Credentials.secretAccessKey,
      ...options,
    })

  const isSaved = async ({ api }: Pick<Lab, 'api'>, id: string, name: string): Promise<void> => {
    const find = async () => (await api('GET', `/v2/browser/${id}`)).body['profile']
    await expect.poll(find, { timeout: 30_000 }).toMatchObject({ name, saveChanges: true, version: 1 })
  }

  /** Ends a session during an outage of the bucket that continues. */
  const leave = async (name: string, value: string): Promise<string> => {
    const id = await open(killed.create, name, value)
    bucket.setCut(true)
    const { status, body } = await killed.api('DELETE', `/v2/browser/${id}`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { profile: { error: expect.stringContaining('kept') } },
    })
    expect(body['profile'].error).not.toContain('127.0.0.1')
    return id
  }

  test('that could not be saved during an outage are saved afterwards', async () => {
    const id = await leave('acme', 'saved')
    // No session may write changes based on the previous version.
    expect((await killed.api('POST', '/v2/browser', { profile: { name: 'acme' } })).body).toMatchObject({
      code: 'PROFILE_LOCKED',
    })

    bucket.setCut(false)

    await isSaved(killed, id, 'acme')
  })

  test('keep their last version when a server is killed, and another machine takes them over once it is dead', async () => {
    unsaved = await open(killed.create, 'acme', 'unsaved')
    pending = await leave('late', 'pending')
    killed.kill('SIGKILL')
    await killed.exited
    bucket.setCut(false)
    await using other = await start()
    await using store = await openStore({ dataDir, databaseUrl })
    const take = async () => other.api('POST', '/v2/browser', { profile: { name: 'acme' } })

    expect((await read(other.createSession, 'acme', false)).memories).toEqual(memoriesOf('saved'))
    expect((await take()).body).toMatchObject({ code: 'PROFILE_LOCKED' })
    // A server counts as dead after 30 s without a heartbeat. The test changes the time instead of
    // waiting.
    await sql`update node set heartbeat_at = heartbeat_at - interval '40 seconds' where url = ${killed.url}`.execute(
      store.db,
    )
    await expect.poll(async () => (await take()).status, { timeout: 30_000, interval: 500 }).toBe(200)
  })

  test('that a killed server has not saved yet are saved by its next start, others keep their last version', async () => {
    await using next = await start({ dataDir })

    await isSaved(next, pending, 'late')
    expect((await read(next.createSession, 'late', true)).memories).toEqual(memoriesOf('pending'))
    expect((await read(next.createSession, 'acme', true)).memories).toEqual(memoriesOf('saved'))
    expect(await readdir(join(dataDir, 'pending-profiles', 'profiles'))).toEqual([])
    const { body } = await next.api('GET', `/v2/browser/${unsaved}`)
    expect(body).toMatchObject({ endReason: 'lost', profile: { name: 'acme', saveChanges: true } })
    expect(body['profile'].version).toBeUndefined()
  })
})

describe('sessions that end while PostgreSQL is unreachable', () => {
  const profile = { name: 'acme' }
  const undo = new AsyncDisposableStack()
  let database: LabDatabase
  let lab: Lab
  beforeAll(async () => {
    database = undo.use(await (await sharedPostgres()).createDatabase())
    lab = undo.use(await startLab({ databaseUrl: database.url }))
  })
  afterAll(async () => undo.disposeAsync())

  const untilEnded = async (id: string, end: object): Promise<void> => {
    const find = async () => (await lab.api('GET', `/v2/browser/${id}`)).body
    await expect.poll(find, { timeout: 30_000 }).toMatchObject({ status: 'destroyed', ...end })
  }

  test('save their profile afterwards', async () => {
    const { id, cdpUrl } = await lab.createSession({ profile, onBrowserClose: 'delete' })
    await visit({ cdpUrl }, async (page) => remember(page, site, 'saved'))
    await using cdp = await connectCdp(cdpUrl)
    {
      await using _away = await database.goOffline()
      await cdp.call('Browser.close')
      await cdp.closed
      const kept = async () =>
        (await readdir(join(lab.dataDir, 'pending-profiles'))).filter((name) => name.endsWith('.json'))
      await expect.poll(kept, { timeout: 10_000 }).toHaveLength(1)
    }

    await untilEnded(id, { endReason: 'deleted', profile: { name: 'acme', version: 1 } })
    expect((await read(lab.createSession, 'acme', false)).memories).toEqual(memoriesOf('saved'))
  })

  test('report why their profile was not saved', async () => {
    const { id, cdpUrl } = await lab.createSession({ profile })
    await using cdp = await connectCdp(cdpUrl)
    {
      await using _away = await database.goOffline()
      for (const pid of browserPids(lab.dataDir)) process.kill(pid, 'SIGKILL')
      await cdp.closed
      // Begins after the attempt to release the lease.
      expect((await lab.api('GET', '/v2/browser')).status).toBe(503)
    }

    await untilEnded(id, { endReason: 'crashed', profile: { error: expect.stringContaining('The browser crashed') } })
  })
})

// In sequence on one server: the first inspects everything stored there, the others kill all its
// browsers.
describe('on one server', () => {
  const profile = { name: 'acme' }
  let lab: Lab
  let undisturbedMs: number
  beforeAll(async () => {
    lab = await startLab()
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('site data in the data directory is encrypted', async () => {
    const id = await open(lab.createSession, 'acme', 'very-secret-value')
    const startMs = performance.now()
    await lab.api('DELETE', `/v2/browser/${id}`)
    undisturbedMs = performance.now() - startMs

    const entries = await readdir(join(lab.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = await Promise.all(files.map(async (file) => readFile(join(file.parentPath, file.name), 'latin1')))

    // The profile, and the marker file that identifies the blob storage.
    expect(texts).toHaveLength(2)
    for (const text of texts) expect(text).not.toMatch(/very-secret-value|127\.0\.0\.1|SQLite/)
  })

  test('a killed browser leaves the profile unchanged, reports it, and releases the lease', async () => {
    const unsaved = await open(lab.createSession, 'acme', 'unsaved')

    for (const pid of browserPids(lab.dataDir)) process.kill(pid, 'SIGKILL')

    const find = async () => (await lab.api('GET', `/v2/browser/${unsaved}`)).body
    await expect.poll(find).toMatchObject({
      endReason: 'crashed',
      profile: { error: expect.stringContaining('keeps its last saved version') },
    })
    const { id, memories } = await read(lab.createSession, 'acme', true)
    expect(memories).toEqual(memoriesOf('very-secret-value'))
    await lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('a browser killed at any time while it is saved leaves either the old version or the new one', async () => {
    let saved = 'very-secret-value'

    // At the start of the save, half-way, and after it.
    for (const part of [0, 0.5, 1]) {
      const session = await lab.createSession({ profile })
      const value = `value-${part}`
      await visit(session, async (page) => {
        expect(await recall(page, site)).toEqual(memoriesOf(saved))
        await remember(page, site, value)
      })
      const [pid] = browserPids(lab.dataDir)
      const deletion = lab.api('DELETE', `/v2/browser/${session.id}`)
      await (part === 1 ? deletion : Promise.race([deletion, delay(part * undisturbedMs)]))
      try {
        process.kill(pid!, 'SIGKILL')
      } catch {
        // The save completed before the kill.
      }
      const { body } = await deletion
      if (body['profile'].version !== undefined) saved = value
    }

    expect(saved).toBe('value-1')
    expect((await read(lab.createSession, 'acme', false)).memories).toEqual(memoriesOf(saved))
  })
})
