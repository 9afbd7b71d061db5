import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

const unknownId = '01a1fd15-0c10-7879-aa7c-0b034b2f48df'

/** Creates a key of another team and returns its headers. */
async function otherTeamHeaders(team = 'other'): Promise<Record<string, string>> {
  const { body } = await lab.api('POST', '/v2/team/keys', { team })
  return { authorization: `Bearer ${body['key']}` }
}

describe('authentication', () => {
  test.each([
    ['no header', {}, 'Unauthorized'],
    ['no token', { authorization: 'Bearer' }, 'Unauthorized: Token missing'],
    ['a wrong token', { authorization: 'Bearer fc-00000000000000000000000000000000' }, 'Unauthorized: Invalid token'],
  ])('responds 401 to %s', async (_what, headers, error) => {
    const answer = await lab.api('POST', '/v2/browser', {}, headers)

    expect(answer).toMatchObject({ status: 401, body: { success: false, error, code: 'UNAUTHORIZED' } })
  })

  test('happens before the body is parsed', async () => {
    expect((await lab.api('POST', '/v2/browser', '{nonsense', {})).status).toBe(401)
  })

  test('rejects a revoked key at once', async () => {
    const { body } = await lab.api('POST', '/v2/team/keys', { name: 'short-lived' })
    const headers = { authorization: `Bearer ${body['key']}` }
    expect((await lab.api('GET', '/v2/browser', undefined, headers)).status).toBe(200)

    await lab.api('DELETE', `/v2/team/keys/${body['data'].id}`)

    expect((await lab.api('GET', '/v2/browser', undefined, headers)).status).toBe(401)
  })
})

describe('creating a session', () => {
  test.each([
    ['/v2/browser', {}],
    // Public clients identify themselves in these fields.
    ['/v2/interact', { origin: 'js-sdk@1', integration: 'x' }],
  ])('at %s with the body %j returns its URLs and its end', async (path, fields) => {
    const before = Date.now()

    const { status, body } = await lab.api('POST', path, fields)

    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true })
    expect(body['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
    expect(body['cdpUrl']).toMatch(new RegExp(`^${lab.server.url.replace('http', 'ws')}/`))
    expect(body['liveViewUrl']).toMatch(new RegExp(`^${lab.server.url}/live/`))
    expect(body['interactiveLiveViewUrl']).not.toBe(body['liveViewUrl'])
    // The default total lifetime is 600 s.
    expect(Date.parse(body['expiresAt']) - before).toBeGreaterThan(599_000)
    expect(Date.parse(body['expiresAt']) - before).toBeLessThan(605_000)
    expect(JSON.stringify(body)).not.toContain(lab.server.apiKey)
    expect(body).not.toHaveProperty('warning')
    // The host that the client used.
    expect(new URL(body['cdpUrl']).host).toBe(new URL(lab.server.url).host)
  })

  test.each([
    [{ ttl: 29 }, 'ttl'],
    [{ ttl: 3601 }, 'ttl'],
    [{ ttl: 60.5 }, 'ttl'],
    [{ ttl: '60' }, 'ttl'],
    [{ activityTtl: 9 }, 'activityTtl'],
    [{ activityTtl: 3601 }, 'activityTtl'],
    [{ streamWebView: 'yes' }, 'streamWebView'],
    [{ profile: {} }, 'profile.name'],
    [{ profile: { name: '' } }, 'profile.name'],
    [{ profile: { name: 'x'.repeat(129) } }, 'profile.name'],
    [{ profile: { name: '..' } }, 'profile.name'],
    [{ profile: { name: 'x', saveChanges: 'no' } }, 'profile.saveChanges'],
    [[], 'body'],
  ])('with %j responds 400 and names %s', async (body, where) => {
    const answer = await lab.api('POST', '/v2/browser', body)

    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, code: 'BAD_REQUEST', details: [expect.anything()] },
    })
    expect(answer.body['error']).toContain(where)
  })

  test('with an invalid JSON body responds 400', async () => {
    expect(await lab.api('POST', '/v2/browser', '{"ttl":')).toMatchObject({
      status: 400,
      body: { success: false, code: 'BAD_REQUEST_INVALID_JSON' },
    })
  })

  test('with a body over 10 MB responds 413', async () => {
    expect(await lab.api('POST', '/v2/browser', { more: 'x'.repeat(11e6) })).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    })
  })
})

describe('with a limit of one session', () => {
  let small: Lab
  beforeAll(async () => {
    small = await startLab({ maxSessions: 1 })
  })
  afterAll(async () => small[Symbol.asyncDispose]())
  afterEach(async () => {
    for (const { id } of (await small.api('GET', '/v2/browser?status=active')).body['sessions'] as { id: string }[]) {
      await small.api('DELETE', `/v2/browser/${id}`)
    }
  })

  test('further sessions get 429 with Retry-After until a slot is freed', async () => {
    const first = await small.createSession()

    const answer = await small.api('POST', '/v2/browser', {})

    expect(answer).toMatchObject({ status: 429, body: { success: false, code: 'CONCURRENCY_LIMIT' } })
    expect(answer.body['error']).toContain('1')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(5)
    expect((await small.api('POST', '/v2/browser', { ttl: 1 })).status).toBe(400)
    await small.api('DELETE', `/v2/browser/${first.id}`)

    expect((await small.api('POST', '/v2/browser', {})).status).toBe(200)
  })

  test('a browser that fails to start gets 502, costs nothing and frees its slot', async () => {
    const failures = async () => (await small.api('GET', '/v2/browser?status=error')).body['sessions']
    const before = (await failures()).length
    const { rename } = await import('node:fs/promises')
    const { readdirSync } = await import('node:fs')
    // Without the folder of this run, no browser of this server can start.
    const run = `${small.dataDir}/run`
    expect(readdirSync(run)).not.toHaveLength(0)
    await rename(run, `${run}-gone`)

    const answer = await small.api('POST', '/v2/browser', {})

    expect(answer).toMatchObject({ status: 502, body: { code: 'BROWSER_START_FAILED' } })
    await rename(`${run}-gone`, run)
    expect((await small.api('POST', '/v2/browser', {})).status).toBe(200)
    expect(await failures()).toHaveLength(before + 1)
    expect((await failures())[0]).toMatchObject({ status: 'error', creditsBilled: 0 })
  })

  test('a repeated idempotency key returns the session, but not one that failed to start', async () => {
    const headers = { authorization: `Bearer ${small.server.apiKey}`, 'x-idempotency-key': 'full' }
    const ask = async () => small.api('POST', '/v2/browser', {}, headers)
    const askTogether = async () => Promise.all([ask(), ask(), ask()])
    const { rename } = await import('node:fs/promises')
    const run = `${small.dataDir}/run`
    await rename(run, `${run}-gone`)

    const failed = await askTogether()
    await rename(`${run}-gone`, run)
    const first = await ask()
    const later = await askTogether()

    expect(failed.map(({ body }) => body['code'])).toEqual(Array.from({ length: 3 }, () => 'BROWSER_START_FAILED'))
    expect(later.map(({ body }) => body)).toEqual(Array.from({ length: 3 }, () => first.body))
  })
})

describe('reading sessions', () => {
  test('returns the status of one session, and its bill after the end; lists newest first, filtered by status', async () => {
    const older = await lab.createSession()
    const newer = await lab.createSession()
    const { body: alive } = await lab.api('GET', `/v2/browser/${older.id}`)
    await lab.api('DELETE', `/v2/browser/${older.id}`)

    const { body: ended } = await lab.api('GET', `/v2/interact/${older.id}`)
    const { body: all } = await lab.api('GET', '/v2/browser')
    const { body: active } = await lab.api('GET', '/v2/browser?status=active')
    const { body: destroyed } = await lab.api('GET', '/v2/browser?status=destroyed')

    expect(alive).toMatchObject({
      success: true,
      id: older.id,
      status: 'active',
      cdpUrl: older.cdpUrl,
      streamWebView: true,
    })
    expect(alive).not.toHaveProperty('creditsBilled')
    expect(ended).toMatchObject({ status: 'destroyed', endReason: 'deleted', creditsBilled: 2 })
    expect(ended['sessionDurationMs']).toBe(Date.parse(ended['endedAt']) - Date.parse(ended['createdAt']))
    const ids = (body: Record<string, any>): string[] => body['sessions'].map((each: { id: string }) => each.id) // oxlint-disable-line typescript/no-explicit-any -- an answer of any shape
    expect(ids(all).slice(0, 2)).toEqual([newer.id, older.id])
    expect(ids(active)).toContain(newer.id)
    expect(ids(active)).not.toContain(older.id)
    expect(ids(destroyed)).toContain(older.id)
  })

  test('responds 400 to an unknown status filter', async () => {
    expect((await lab.api('GET', '/v2/browser?status=asleep')).status).toBe(400)
  })
})

describe('deleting a session', () => {
  const forms: readonly (readonly [string, (id: string) => Promise<Answer>])[] = [
    ['by path', async (id) => lab.api('DELETE', `/v2/browser/${id}`)],
    ['at the other path', async (id) => lab.api('DELETE', `/v2/interact/${id}`)],
    ['by body', async (id) => lab.api('DELETE', '/v2/browser', { id })],
    [
      'with an empty JSON body',
      async (id) =>
        lab.api('DELETE', `/v2/browser/${id}`, '', {
          authorization: `Bearer ${lab.server.apiKey}`,
          'content-type': 'application/json',
        }),
    ],
  ]

  test.each(forms.slice(1, 3))('%s returns the bill, in every form the same', async (_how, destroy) => {
    const session = await lab.createSession()

    const first = await destroy(session.id)
    const others = await Promise.all(forms.map(async ([, again]) => again(session.id)))

    expect(first).toMatchObject({ status: 200, body: { success: true, creditsBilled: 2, cleanupQueued: true } })
    expect(first.body['sessionDurationMs']).toBeGreaterThanOrEqual(0)
    for (const { status, body } of others) expect({ status, body }).toEqual({ status: 200, body: first.body })
  })

  test('ten times concurrently bills once', async () => {
    const session = await lab.createSession()

    const answers = await Promise.all(Array.from({ length: 10 }, () => lab.api('DELETE', `/v2/browser/${session.id}`)))

    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 200, body: { creditsBilled: 2 } })
  })

  test('while its browser is starting ends it', async () => {
    // A session with a profile cannot use a warm browser.
    const creation = lab.api('POST', '/v2/browser', { profile: { name: 'early-end' } })
    const find = async (): Promise<{ id: string; profile?: object } | undefined> =>
      (await lab.api('GET', '/v2/browser?status=active')).body['sessions'].find((each: object) => 'profile' in each)
    await expect.poll(find, { interval: 5, timeout: 10_000 }).toBeDefined()
    const session = await find()

    const { status, body } = await lab.api('DELETE', `/v2/browser/${session?.id}`)

    expect({ status, body }).toMatchObject({ status: 200, body: { creditsBilled: 2, profile: { version: 1 } } })
    await creation
    expect((await lab.api('GET', `/v2/browser/${session?.id}`)).body).toMatchObject({ status: 'destroyed' })
  })

  test('without an id responds 400', async () => {
    expect((await lab.api('DELETE', '/v2/browser', {})).status).toBe(400)
    expect((await lab.api('DELETE', '/v2/browser')).status).toBe(400)
  })
})

describe('sessions of other teams', () => {
  test.each([
    ['GET', `/v2/browser/${unknownId}`],
    ['DELETE', `/v2/browser/${unknownId}`],
    ['GET', '/v2/browser/not-an-id'],
    ['DELETE', '/v2/browser/not-an-id'],
  ])('get 404 for %s %s', async (method, path) => {
    expect(await lab.api(method, path)).toMatchObject({
      status: 404,
      body: { success: false, code: 'SESSION_NOT_FOUND' },
    })
  })

  test('get 403 when read or deleted, and are not listed', async () => {
    const session = await lab.createSession()
    const headers = await otherTeamHeaders()

    for (const method of ['GET', 'DELETE']) {
      const answer = await lab.api(method, `/v2/browser/${session.id}`, undefined, headers)
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: 'Forbidden.' } })
    }
    expect((await lab.api('DELETE', '/v2/browser', { id: session.id }, headers)).status).toBe(403)
    expect((await lab.api('GET', '/v2/browser', undefined, headers)).body['sessions']).toEqual([])
    expect((await lab.api('GET', `/v2/browser/${session.id}`)).body['status']).toBe('active')
  })
})

describe('keys', () => {
  test('are shown in full only once', async () => {
    const { body: made } = await lab.api('POST', '/v2/team/keys', { name: 'shown-once', team: 'acme' })
    const { body: listed } = await lab.api('GET', '/v2/team/keys')

    expect(made['key']).toMatch(/^bl-[0-9a-f]{32}$/)
    expect(made['data']).toMatchObject({
      name: 'shown-once',
      team: 'acme',
      role: 'member',
      prefix: made['key'].slice(0, 7),
    })
    expect(JSON.stringify(listed)).not.toContain(made['key'])
  })

  test('of members cannot create or revoke keys, and list those of their team', async () => {
    const headers = await otherTeamHeaders('members')

    expect((await lab.api('POST', '/v2/team/keys', {}, headers)).status).toBe(403)
    const { body } = await lab.api('GET', '/v2/team/keys', undefined, headers)
    expect(body['data'].map((key: { team: string }) => key.team)).toEqual(['members'])
    expect((await lab.api('DELETE', `/v2/team/keys/${body['data'][0].id}`, undefined, headers)).status).toBe(403)
  })

  test('cannot revoke themselves', async () => {
    const { body } = await lab.api('GET', '/v2/team/keys')
    const own = body['data'].find((key: { name: string }) => key.name === 'bootstrap')

    expect((await lab.api('DELETE', `/v2/team/keys/${own.id}`)).status).toBe(400)
  })
})
