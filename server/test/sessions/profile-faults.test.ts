import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labS3Credentials, openCuttableBucket, openS3Location } from '../../../test/lab/blob-locations.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { memoriesOf, memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { visit } from '../../../test/lab/visit.ts'

let site: Site
beforeAll(async () => {
  site = await startSite(memoryPages)
})
afterAll(async () => site[Symbol.asyncDispose]())

const profile = { name: 'acme' }

/** Runs a session that stores `value` in the profile. Returns the milliseconds its end took. */
async function save(server: Pick<ServerProcess, 'create' | 'api'>, value: string): Promise<number> {
  const session = await server.create({ profile })
  await visit(session, async (page) => remember(page, site, value))
  const startMs = performance.now()
  await server.api('DELETE', `/v2/browser/${session.id}`)
  return performance.now() - startMs
}

async function readAs(server: Pick<ServerProcess, 'create'>, saveChanges: boolean) {
  return visit(await server.create({ profile: { ...profile, saveChanges } }), async (page) => recall(page, site))
}

test.concurrent(
  'a server killed with SIGKILL leaves the last saved version, which can be written at once',
  {
    timeout: 120_000,
  },
  async () => {
    await using folder = await temporaryFolder()
    const killed = await startServerProcess({ dataDir: folder.path })
    await save(killed, 'saved')
    const unsaved = await killed.create({ profile })
    await visit(unsaved, async (page) => remember(page, site, 'unsaved'))

    killed.kill('SIGKILL')
    await killed.exited

    await using next = await startServerProcess({ dataDir: folder.path })
    expect(await readAs(next, true)).toEqual(memoriesOf('saved'))
    const { body } = await next.api('GET', `/v2/browser/${unsaved.id}`)
    expect(body).toMatchObject({ endReason: 'lost', profile: { name: 'acme', saveChanges: true } })
    expect(body['profile'].version).toBeUndefined()
  },
)

test.concurrent(
  'another machine takes over a profile from a dead writer, with the shared bucket and key',
  {
    timeout: 150_000,
  },
  async ({ expect }) => {
    await using undo = new AsyncDisposableStack()
    const bucket = undo.use(await openS3Location())
    const postgres = await sharedPostgres()
    const database = undo.use(await postgres.createDatabase())
    const start = async (): Promise<ServerProcess> => {
      const folder = undo.use(await temporaryFolder())
      const shared = {
        DATABASE_URL: database.url,
        BOWLINE_BLOBS: bucket.address,
        AWS_ACCESS_KEY_ID: labS3Credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: labS3Credentials.secretAccessKey,
      }
      return undo.use(await startServerProcess({ dataDir: folder.path, env: shared }))
    }
    const [first, second] = [await start(), await start()]
    await save(first, 'saved')
    expect(await readAs(second, false)).toEqual(memoriesOf('saved'))
    await first.create({ profile })

    first.kill('SIGKILL')
    await first.exited

    const take = async () => second.api('POST', '/v2/browser', { profile })
    expect((await take()).body).toMatchObject({ code: 'PROFILE_LOCKED' })
    await expect.poll(async () => (await take()).status, { timeout: 60_000, interval: 1000 }).toBe(200)
  },
)

test.concurrent(
  'a profile that could not be saved during a bucket outage is saved afterwards, also after a restart',
  { timeout: 150_000 },
  async ({ expect }) => {
    await using bucket = await openCuttableBucket()
    await using folder = await temporaryFolder()
    const env = {
      BOWLINE_BLOBS: bucket.address,
      AWS_ACCESS_KEY_ID: labS3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labS3Credentials.secretAccessKey,
    }
    const start = async (): Promise<ServerProcess> => startServerProcess({ dataDir: folder.path, env })
    const isSaved = async (server: ServerProcess, id: string, version: number): Promise<void> => {
      const read = async () => (await server.api('GET', `/v2/browser/${id}`)).body['profile']
      await expect.poll(read, { timeout: 30_000 }).toEqual({ name: 'acme', saveChanges: true, version })
    }
    const leave = async (server: ServerProcess, value: string): Promise<string> => {
      const session = await server.create({ profile })
      await visit(session, async (page) => remember(page, site, value))
      bucket.setCut(true)
      const { status, body } = await server.api('DELETE', `/v2/browser/${session.id}`)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { profile: { error: expect.stringContaining('kept') } },
      })
      expect(body['profile'].error).not.toContain('127.0.0.1')
      return session.id
    }
    const killed = await start()

    const first = await leave(killed, 'first')
    // No session may write changes based on the previous version.
    expect((await killed.api('POST', '/v2/browser', { profile })).body).toMatchObject({ code: 'PROFILE_LOCKED' })
    bucket.setCut(false)
    await isSaved(killed, first, 1)

    const second = await leave(killed, 'second')
    killed.kill('SIGKILL')
    await killed.exited
    bucket.setCut(false)
    await using next = await start()
    await isSaved(next, second, 2)
    expect(await readAs(next, true)).toEqual(memoriesOf('second'))
    expect(await readdir(join(folder.path, 'pending-profiles', 'profiles'))).toEqual([])
  },
)

// In sequence on one server: the first inspects everything stored there, the others kill all its
// browsers.
describe('on one server', () => {
  let lab: Lab
  let server: Pick<ServerProcess, 'create' | 'api'>
  beforeAll(async () => {
    lab = await startLab()
    server = { create: lab.createSession, api: lab.api }
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('site data in the data directory is encrypted', async () => {
    await save(server, 'very-secret-value')

    const entries = await readdir(join(lab.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = await Promise.all(files.map(async (file) => readFile(join(file.parentPath, file.name), 'latin1')))

    // The profile, and the marker file that identifies the blob storage.
    expect(texts).toHaveLength(2)
    for (const text of texts) expect(text).not.toMatch(/very-secret-value|127\.0\.0\.1|SQLite/)
  })

  test('a killed browser leaves the profile unchanged, reports it, and releases the lease', async () => {
    await save(server, 'saved')
    const session = await lab.createSession({ profile })
    await visit(session, async (page) => remember(page, site, 'unsaved'))

    for (const pid of browserPids(lab.dataDir)) process.kill(pid, 'SIGKILL')

    const read = async () => (await lab.api('GET', `/v2/browser/${session.id}`)).body
    await expect.poll(read).toMatchObject({
      endReason: 'crashed',
      profile: { error: expect.stringContaining('keeps its last saved version') },
    })
    expect(await readAs(server, true)).toEqual(memoriesOf('saved'))
  })

  test(
    'a browser killed at any time while it is saved leaves either the old version or the new one',
    { timeout: 150_000 },
    async () => {
      // The last reader has the lease.
      for (const { id } of (await lab.api('GET', '/v2/browser?status=active')).body['sessions'] as { id: string }[]) {
        await lab.api('DELETE', `/v2/browser/${id}`)
      }
      const undisturbedMs = await save(server, 'value-0')
      const rounds = 5
      const saved = ['value-0']

      for (let round = 1; round <= rounds; round += 1) {
        const session = await lab.createSession({ profile })
        await visit(session, async (page) => remember(page, site, `value-${round}`))
        const [pid] = browserPids(lab.dataDir)
        const deletion = lab.api('DELETE', `/v2/browser/${session.id}`)
        // In the last rounds, the kill comes after the save even on a busy machine.
        await Promise.race([deletion, delay(((round - 1) / rounds) * 1.5 * undisturbedMs)])
        if (round === rounds) await deletion
        try {
          process.kill(pid!, 'SIGKILL')
        } catch {
          // The save completed before the kill.
        }
        const { body } = await deletion
        if (body['profile'].version !== undefined) saved.push(`value-${round}`)
      }

      expect(saved).toContain(`value-${rounds}`)
      expect(await readAs(server, false)).toEqual(memoriesOf(saved.at(-1)!))
    },
  )
})
