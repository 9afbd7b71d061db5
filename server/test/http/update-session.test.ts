import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { openStore } from '../../src/store/open.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ maxTtl: 1200 })
})
afterAll(async () => lab[Symbol.asyncDispose]())

const update = async (id: string, body: object, headers?: Record<string, string>): Promise<Answer> =>
  lab.api('PATCH', `/v2/browser/${id}`, body, headers)

/** Creates a team with some credits, and a session of it. */
async function meteredSession(name: string, credits: number, ttl: number) {
  await lab.api('POST', '/v2/teams', { name, credits })
  const { body: key } = await lab.api('POST', '/v2/team/keys', { team: name })
  const headers = { authorization: `Bearer ${key['key']}` }
  const { body: session } = await lab.api('POST', '/v2/browser', { ttl }, headers)
  const usage = async (): Promise<unknown> =>
    (await lab.api('GET', '/v2/team/credit-usage', undefined, headers)).body['data']
  return { id: String(session['id']), headers, usage }
}

describe.concurrent('updating a session', () => {
  test('counts a new `ttl` from now, and returns the session with its new end', async ({ expect }) => {
    const { id, expiresAt } = await lab.createSession({ ttl: 60, name: 'before' })
    const before = Date.now()

    const { status, body } = await update(id, { ttl: 600 })

    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, id, status: 'active', name: 'before' })
    expect(Date.parse(body['expiresAt'])).toBeGreaterThanOrEqual(before + 599_000)
    expect(Date.parse(body['expiresAt'])).toBeLessThan(Date.now() + 602_000)
    expect(body['expiresAt']).not.toBe(expiresAt)
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['expiresAt']).toBe(body['expiresAt'])
    await lab.api('DELETE', `/v2/interact/${id}`)
  })

  test('keeps a session alive beyond its first end, and ends it at the new one', async ({ expect }) => {
    const { id, cdpUrl } = await lab.createSession({ ttl: 30, activityTtl: 300 })
    await using cdp = await connectCdp(cdpUrl)

    const { body } = await update(id, { ttl: 33 })

    expect(await cdp.closed).toEqual({ code: 4001, reason: 'ttl' })
    expect(Date.now()).toBeGreaterThan(Date.parse(body['expiresAt']) - 500)
    await expect.poll(async () => (await lab.api('GET', `/v2/browser/${id}`)).body['status']).toBe('destroyed')
    const { body: bill } = await lab.api('GET', `/v2/browser/${id}`)
    expect(bill['sessionDurationMs']).toBeGreaterThanOrEqual(33_000)
    expect(bill['sessionDurationMs']).toBe(Date.parse(bill['expiresAt']) - Date.parse(bill['createdAt']))
    expect(bill).toMatchObject({ endReason: 'ttl', creditsBilled: 2 })
  })

  test('keeps a session alive whose first end comes while the change is stored', async ({ expect }) => {
    const { id, expiresAt } = await lab.createSession({ ttl: 30, activityTtl: 300 })
    const leftMs = (): number => Date.parse(expiresAt ?? '') - Date.now()
    await using store = await openStore({ dataDir: lab.dataDir, databaseUrl: lab.server.config.databaseUrl })
    await delay(leftMs() - 3000)

    const updating = await store.db.transaction().execute(async (transaction) => {
      await sql`select from session where id = ${id} for update`.execute(transaction)
      const answer = update(id, { ttl: 60 })
      await delay(leftMs() + 1000)
      return { answer }
    })

    expect((await updating.answer).status).toBe(200)
    expect((await lab.api('GET', `/v2/browser/${id}`)).body).toMatchObject({ status: 'active' })
    await lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('can end a session earlier, by its `ttl` and its `activityTtl`', async ({ expect }) => {
    const [short, idle] = [await lab.createSession({ ttl: 600 }), await lab.createSession({ ttl: 600 })]
    await using shortCdp = await connectCdp(short.cdpUrl)
    await using idleCdp = await connectCdp(idle.cdpUrl)

    await update(short.id, { ttl: 30 })
    await update(idle.id, { activityTtl: 10 })

    expect(await idleCdp.closed).toEqual({ code: 4002, reason: 'idle' })
    expect(await shortCdp.closed).toEqual({ code: 4001, reason: 'ttl' })
  })

  test('reserves the credits of an extension, and releases those of a shorter time', async ({ expect }) => {
    const { id, headers, usage } = await meteredSession('extending', 20, 120)
    expect(await usage()).toMatchObject({ reservedCredits: 4 })

    const extended = await update(id, { ttl: 540 }, headers)
    expect(extended.status).toBe(200)
    // The lifetime starts with the creation, so it is a little longer than 540 s.
    expect(await usage()).toMatchObject({ reservedCredits: 19, remainingCredits: 1 })
    const refused = await update(id, { ttl: 900, name: 'unpaid' }, headers)
    expect(refused).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } })
    const { body } = await lab.api('GET', `/v2/browser/${id}`, undefined, headers)
    expect(body['expiresAt']).toBe(extended.body['expiresAt'])
    expect(body).not.toHaveProperty('name')
    expect(await usage()).toMatchObject({ reservedCredits: 19 })

    await update(id, { ttl: 50 }, headers)
    expect(await usage()).toMatchObject({ reservedCredits: 2, remainingCredits: 18 })
    expect((await lab.api('DELETE', `/v2/browser/${id}`, undefined, headers)).body).toMatchObject({ creditsBilled: 2 })
    expect(await usage()).toMatchObject({ reservedCredits: 0, remainingCredits: 18 })
  })

  test('applies concurrent changes one after the other', async ({ expect }) => {
    const { id, headers, usage } = await meteredSession('concurrent', 100, 60)

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        update(id, { ttl: 100 + index, metadata: { [`k${index}`]: 'x' } }, headers),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    const { body } = await lab.api('GET', `/v2/browser/${id}`, undefined, headers)
    expect(Object.keys(body['metadata'])).toHaveLength(10)
    expect(await usage()).toMatchObject({ reservedCredits: 4 })
    await lab.api('DELETE', `/v2/browser/${id}`, undefined, headers)
  })

  test('merges metadata, removes keys and names that are null, and keeps absent fields', async ({ expect }) => {
    const { id } = await lab.createSession({ ttl: 60, name: 'first', metadata: { a: '1', b: '2' } })

    const merged = await update(id, { metadata: { b: null, c: '3', missing: null } })
    const renamed = await update(id, { name: 'second' })
    const unnamed = await update(id, { name: null, metadata: { a: null, c: null } })

    expect(merged.body).toMatchObject({ name: 'first', metadata: { a: '1', c: '3' } })
    expect(merged.body['metadata']).not.toHaveProperty('b')
    expect(renamed.body).toMatchObject({ name: 'second', metadata: { a: '1', c: '3' } })
    expect(unnamed.body).not.toHaveProperty('name')
    expect(unnamed.body).not.toHaveProperty('metadata')
    expect((await lab.api('DELETE', `/v2/browser/${id}`)).body).not.toHaveProperty('name')
  })

  test('is refused for an ended, an unknown and a foreign session', async ({ expect }) => {
    const { id } = await lab.createSession({ ttl: 60 })
    const foreign = await meteredSession('foreign', 10, 60)

    // An admin key may end the sessions of other teams, but not spend their credits.
    const forbidden = await update(foreign.id, { ttl: 60 })
    await lab.api('DELETE', `/v2/browser/${id}`)

    expect(forbidden).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(await update(id, { name: 'late' })).toMatchObject({ status: 410, body: { code: 'SESSION_ENDED' } })
    expect(await update('01a1fd15-0c10-7879-aa7c-0b034b2f48df', {})).toMatchObject({ status: 404 })
    expect((await lab.api('GET', `/v2/browser/${id}`)).body).not.toHaveProperty('name')
    await lab.api('DELETE', `/v2/browser/${foreign.id}`)
  })

  test('responds 400 to what is out of range, and changes nothing', async ({ expect }) => {
    const { id } = await lab.createSession({ ttl: 60, metadata: { first: '1' } })
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, '']))

    expect((await update(id, { ttl: 1200 })).body['error']).toMatch(
      /at most 1200 s, .*--max-ttl.* It would be 120[1-9] s/,
    )
    expect((await update(id, { ttl: 29 })).body['error']).toBe('`ttl` must be at least 30')
    expect((await update(id, { activityTtl: 9 })).body['error']).toBe('`activityTtl` must be at least 10')
    expect((await update(id, { name: '' })).status).toBe(400)
    expect((await update(id, { metadata: fifty })).body['error']).toContain('at most 50 entries')
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['metadata']).toEqual({ first: '1' })
    await lab.api('DELETE', `/v2/browser/${id}`)
  })
})
