import { expect, test } from 'vitest'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

test.skipIf(!canMount).each([
  ['has 8 MB', false, /^The disk of the data directory \S+ is full: 8 MB left, 64 MB needed$/],
  ['has none', true, /^The data directory \S+ cannot be used: ENOSPC: no space left on device, write$/],
])(
  'a server whose disk %s (mounting it needs root) refuses to start with the reason',
  async (_name, isFilled, message) => {
    await using disk = await mountSmallDisk(8)
    if (isFilled) disk.fill()

    await expect(startLab({ dataDir: disk.path })).rejects.toMatchObject({ code: 'DATA_DIR_UNUSABLE', message })
  },
)

test.skipIf(!canMount)(
  'when the disk fills (mounting it needs root), requests fail with 503 and sessions are billed once there is space',
  async () => {
    await using disk = await mountSmallDisk(120)
    {
      await using lab = await startLab({ dataDir: disk.path })
      const { id } = await lab.createSession({ ttl: 120 })
      disk.fill()

      const { status, body } = await lab.api('GET', '/readyz')
      expect([status, body['reasons']]).toEqual([503, [expect.stringContaining('is full: 0 MB left')]])
      const ended = await lab.api('DELETE', `/v2/browser/${id}`)
      expect(ended).toMatchObject({
        status: 503,
        body: { code: 'STORE_UNAVAILABLE', error: 'The disk of the database is full' },
      })
      expect(ended.headers.get('retry-after')).toBe('2')
      expect(lab.server.liveSessions()).toBe(1)

      disk.free()
      await expect
        .poll(async () => (await lab.api('GET', `/v2/browser/${id}`)).body, { timeout: 10_000 })
        .toMatchObject({ status: 'destroyed', endReason: 'deleted', creditsBilled: 2 })
      expect((await lab.api('GET', '/readyz')).status).toBe(200)
    }
    disk.fill()

    await expect(startLab({ dataDir: disk.path })).rejects.toMatchObject({
      code: 'DATA_DIR_UNUSABLE',
      message: expect.stringMatching(/is full|no space left/),
    })
  },
  40_000,
)

test.skipIf(!canMount)(
  'when the disk of profiles and screenshots fills (mounting it needs root), errors say so and batches wait for space',
  async () => {
    await using database = await (await sharedPostgres()).createDatabase()
    await using disk = await mountSmallDisk(120)
    await using site = await startSite({ '/page': fixedPage('Page', '<h1>Page</h1>') })
    await using lab = await startLab({ databaseUrl: database.url, dataDir: disk.path })
    const profile = { name: 'acme' }
    const screenshot = { url: site.url('/page'), formats: ['screenshot'], maxAge: 0 }
    expect((await lab.api('POST', '/v2/scrape', screenshot)).status).toBe(200)
    const { id } = await lab.createSession({ ttl: 120, profile })
    disk.fill()

    const full = 'The disk of the server is full'
    const file = await fetch(`${lab.server.url}/v2/browser/${id}/files?name=a.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/octet-stream' },
      body: 'x'.repeat(100_000),
    })
    expect([file.status, await file.json()]).toEqual([503, expect.objectContaining({ error: full })])
    expect((await lab.api('POST', '/v2/scrape', screenshot)).body).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      error: full,
    })
    expect((await lab.api('DELETE', `/v2/browser/${id}`)).body).toMatchObject({
      success: true,
      profile: { error: `${full}. The changes are lost` },
    })
    const { url, ...options } = screenshot
    const requestCount = site.requests.all.length
    const batch = await lab.api('POST', '/v2/batch/scrape', { urls: [url], ...options })
    await expect.poll(() => site.requests.all.length, { timeout: 10_000 }).toBeGreaterThan(requestCount)
    disk.free()

    await expect
      .poll(async () => (await lab.api('GET', `/v2/batch/scrape/${batch.body['id']}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: 'completed', completed: 1 })
  },
  40_000,
)

test.skipIf(!canMount)(
  'a profile keeps its last version when its browser could not write to a full disk (mounting it needs root)',
  async () => {
    await using database = await (await sharedPostgres()).createDatabase()
    await using disk = await mountSmallDisk(120)
    await using blobs = await temporaryFolder()
    await using lab = await startLab({ databaseUrl: database.url, dataDir: disk.path, blobs: blobs.path })
    const { id } = await lab.createSession({ ttl: 120, profile: { name: 'acme' } })
    disk.fill()

    expect((await lab.api('DELETE', `/v2/browser/${id}`)).body).toMatchObject({
      success: true,
      profile: { error: 'The disk of the server is full. The changes are lost' },
    })
  },
  40_000,
)
