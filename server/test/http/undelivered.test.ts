import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const apiKey = 'undelivered-key-0123456789'

/** Requests a session and disconnects after `leaveMs`, before the response. */
async function askAndLeave(lab: Lab, leaveMs: number, headers = ''): Promise<void> {
  const { hostname, port, host } = new URL(lab.server.url)
  const socket = connect(Number(port), hostname)
  const body = '{"ttl":600}'
  socket.write(
    `POST /v2/browser HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${lab.server.apiKey}\r\n${headers}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await sleep(leaveMs)
  socket.resetAndDestroy()
  await once(socket, 'close')
}

async function sessionsOf(lab: Lab): Promise<readonly Record<string, unknown>[]> {
  return (await lab.api('GET', '/v2/browser')).body['sessions']
}

/** Waits until no session is alive or starting. */
async function settled(...labs: readonly Lab[]): Promise<void> {
  const load = (): number => labs.reduce((sum, lab) => sum + lab.server.liveSessions(), 0)
  await expect.poll(load, { timeout: 5000 }).toBe(0)
}

describe('a session whose client disconnects before the response', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab()
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('ends at once and costs nothing, whenever the client disconnects', async () => {
    for (const leaveMs of [1, 5, 20, 60, 120]) await askAndLeave(lab, leaveMs)

    await settled(lab)
    const sessions = await sessionsOf(lab)
    expect(sessions.length).toBeGreaterThan(0)
    for (const session of sessions) {
      expect(session).toMatchObject({ status: 'error', creditsBilled: 0, error: expect.stringContaining('client') })
    }
  })

  test('is returned if the client retries with the same idempotency key', async () => {
    const key = { 'x-idempotency-key': 'once-more' }
    await askAndLeave(lab, 60, 'X-Idempotency-Key: once-more\r\n')

    const { status, body } = await lab.api(
      'POST',
      '/v2/browser',
      { ttl: 600 },
      { authorization: `Bearer ${lab.server.apiKey}`, ...key },
    )

    expect(status).toBe(200)
    // Longer than the time in which a client may retry.
    await sleep(2500)
    expect((await lab.api('GET', `/v2/browser/${body['id']}`)).body).toMatchObject({ status: 'active' })
    expect(lab.server.liveSessions()).toBe(1)
    await lab.api('DELETE', `/v2/browser/${body['id']}`)
  })

  test('can be deleted by its idempotency key, by its team only', async () => {
    const key = { 'x-idempotency-key': 'known-before' }
    const headers = { authorization: `Bearer ${lab.server.apiKey}` }
    const { body: otherTeam } = await lab.api('POST', '/v2/team/keys', { team: 'other' })
    const { body } = await lab.api('POST', '/v2/browser', { ttl: 600 }, { ...headers, ...key })
    const wanted = { idempotencyKey: 'known-before' }

    const foreign = await lab.api('DELETE', '/v2/browser', wanted, { authorization: `Bearer ${otherTeam['key']}` })
    expect(foreign).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } })
    expect(await lab.api('DELETE', '/v2/browser', wanted)).toMatchObject({ status: 200, body: { creditsBilled: 2 } })

    expect((await lab.api('GET', `/v2/browser/${body['id']}`)).body).toMatchObject({ endReason: 'deleted' })
    for (const wrong of [{}, { id: body['id'], ...wanted }]) {
      expect((await lab.api('DELETE', '/v2/browser', wrong)).status).toBe(400)
    }
  })
})

test('a session that another server created for a client that disconnected also ends at once and costs nothing', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  const databaseUrl = database.url
  await using shared = await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))
  const blobs = shared.path
  await using near = await startLab({ databaseUrl, apiKey, blobs, maxSessions: 1 })
  const { id } = await near.createSession({ ttl: 600 })
  await using far = await startLab({ databaseUrl, apiKey, blobs })

  for (const leaveMs of [40, 150, 300]) await askAndLeave(near, leaveMs)

  await settled(far)
  const others = (await sessionsOf(far)).filter((session) => session['id'] !== id)
  expect(others.map(({ status, creditsBilled }) => ({ status, creditsBilled }))).toEqual(
    others.map(() => ({ status: 'error', creditsBilled: 0 })),
  )
  expect(near.server.liveSessions()).toBe(1)
})
