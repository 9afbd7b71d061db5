import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bowline-restart-'))
})
afterEach(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))

/** Folders of running browsers below the data directory. */
async function browserFolders(): Promise<readonly string[]> {
  const boots = await readdir(join(dataDir, 'run')).catch(() => [])
  const folders = await Promise.all(boots.map(async (boot) => readdir(join(dataDir, 'run', boot)).catch(() => [])))
  return folders.flat()
}

describe('a server killed with SIGKILL', () => {
  test('leaves no browser or folder, and its sessions are ended and billed once at the next start', async () => {
    const killed = await startServerProcess({ dataDir, flags: ['--warm', '1'] })
    const sessions = [await killed.create({ ttl: 60 }), await killed.create({ ttl: 60 })]
    expect(browserPids(dataDir).length).toBeGreaterThanOrEqual(2)

    killed.kill('SIGKILL')
    await killed.exited

    await expect.poll(() => browserPids(dataDir), { timeout: 5000 }).toEqual([])
    await expect.poll(browserFolders, { timeout: 5000 }).toEqual([])
    await using lab = await startLab({ dataDir })
    expect(lab.server.recovered).toBe(2)
    for (const { id } of sessions) {
      const { body } = await lab.api('GET', `/v2/browser/${id}`)
      expect(body).toMatchObject({ status: 'destroyed', endReason: 'lost', creditsBilled: 2 })
      expect(body['sessionDurationMs']).toBeLessThan(60_000)
    }
  })

  test('bills its sessions once, even when killed repeatedly', async () => {
    const first = await startServerProcess({ dataDir })
    const { id } = await first.create({ ttl: 60 })
    first.kill('SIGKILL')
    await first.exited
    const second = await startServerProcess({ dataDir })
    const bill = (await second.api('GET', `/v2/browser/${id}`)).body
    second.kill('SIGKILL')
    await second.exited

    await using lab = await startLab({ dataDir })

    expect(lab.server.recovered).toBe(0)
    const { body } = await lab.api('GET', `/v2/browser/${id}`)
    expect(body).toMatchObject({
      endReason: 'lost',
      creditsBilled: bill['creditsBilled'],
      sessionDurationMs: bill['sessionDurationMs'],
    })
  })
})

// Twice in a row, as a process group and npm deliver it, counts once.
describe.each([
  ['SIGINT', 'once'],
  ['SIGTERM', 'twice in a row'],
] as const)('a server that gets %s %s', (signal, count) => {
  test('ends and bills every session, notifies the clients, and exits with 0', async () => {
    const server = await startServerProcess({ dataDir })
    const { id, cdpUrl } = await server.create({ ttl: 60 })
    await using cdp = await connectCdp(cdpUrl)

    server.kill(signal)
    if (count !== 'once') server.kill(signal)

    expect(await cdp.closed).toEqual({ code: 4004, reason: 'drained' })
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(browserPids(dataDir)).toEqual([])
    expect(await browserFolders()).toEqual([])
    await using lab = await startLab({ dataDir })
    expect(lab.server.recovered).toBe(0)
    const { body } = await lab.api('GET', `/v2/browser/${id}`)
    expect(body).toMatchObject({ status: 'destroyed', endReason: 'drained', creditsBilled: 2 })
  })
})

test('a second, different signal ends the process at once', async () => {
  const server = await startServerProcess({ dataDir })
  await server.create({ ttl: 60 })

  server.kill('SIGTERM')
  server.kill('SIGINT')

  // The kernel decides which of two pending signals is delivered first.
  expect([130, 143]).toContain((await server.exited).code)
  await expect.poll(() => browserPids(dataDir), { timeout: 5000 }).toEqual([])
})
