import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp, refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}

/** Creates a key through the API. */
async function createKey(lab: Lab, body: Readonly<Record<string, unknown>>) {
  const { body: made } = await lab.api('POST', '/v2/team/keys', body)
  return { key: made['key'] as string, id: made['data'].id as string }
}

async function statusWith(lab: Lab, key: string) {
  return (await lab.api('GET', '/v2/browser', undefined, bearer(key))).status
}

describe('a restart with another bootstrap key', () => {
  const [oldKey, newKey] = ['old-key-0123456789abcdef', 'new-key-0123456789abcdef']

  test('retires the previous one until a server starts with it again', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-keys-'))
    await using database = await (await sharedPostgres()).createDatabase()
    const start = async (apiKey: string) => startLab({ dataDir: folder.path, databaseUrl: database.url, apiKey })
    await (await start(oldKey))[Symbol.asyncDispose]()
    {
      await using lab = await start(newKey)

      expect(await statusWith(lab, newKey)).toBe(200)
      expect(await statusWith(lab, oldKey)).toBe(401)
      expect(lab.server.retiredKeys).toEqual(['old-key'])
      const { body } = await lab.api('GET', '/v2/team/keys')
      expect(body['data']).toMatchObject([{ prefix: 'old-key', retiredAt: expect.any(String) }, { prefix: 'new-key' }])
    }
    await using lab = await start(oldKey)

    expect([await statusWith(lab, oldKey), await statusWith(lab, newKey)]).toEqual([200, 401])
  })

  test('is refused with a member key, which keeps its role', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-keys-'))
    await using database = await (await sharedPostgres()).createDatabase()
    const start = async (apiKey: string) => startLab({ dataDir: folder.path, databaseUrl: database.url, apiKey })
    let member: string
    {
      await using lab = await start(oldKey)
      member = (await createKey(lab, { name: 'jobs', team: 'boats', role: 'member' })).key
    }

    await expect(start(member)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('"jobs" of the team boats'),
    })

    await using lab = await start(oldKey)
    const { body } = await lab.api('GET', '/v2/team/keys')
    expect(body['data']).toMatchObject([
      { prefix: 'old-key', role: 'admin' },
      { name: 'jobs', role: 'member' },
    ])
    expect((await lab.api('POST', '/v2/teams', { name: 'other' }, bearer(member))).status).toBe(403)
  })

  test('does not restore a revoked key', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-keys-'))
    await using database = await (await sharedPostgres()).createDatabase()
    const start = async () => startLab({ dataDir: folder.path, databaseUrl: database.url, apiKey: oldKey })
    let admin: string
    {
      await using lab = await start()
      admin = (await createKey(lab, { role: 'admin' })).key
      const { body } = await lab.api('GET', '/v2/team/keys')
      const own = body['data'].find(({ prefix }: { prefix: string }) => prefix === 'old-key')
      await lab.api('DELETE', `/v2/team/keys/${own.id}`, undefined, bearer(admin))
      expect(await statusWith(lab, oldKey)).toBe(401)
    }
    await using lab = await start()

    expect(lab.server.isKeyRevoked).toBe(true)
    expect([await statusWith(lab, oldKey), await statusWith(lab, admin)]).toEqual([401, 200])
  })
})

describe('keys and sessions of other teams, through another server', () => {
  const undo = new AsyncDisposableStack()
  let lab: Lab
  let other: Lab
  beforeAll(async () => {
    const database = undo.use(await (await sharedPostgres()).createDatabase())
    const blobs = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-keys-'))).path
    const options = { databaseUrl: database.url, apiKey: 'cluster-key-0123456789abcdef', blobs, maxSessions: 4 }
    lab = undo.use(await startLab(options))
    other = undo.use(await startLab(options))
  })
  afterAll(async () => undo.disposeAsync())

  const create = async (key: string) => {
    const { body } = await lab.api('POST', '/v2/browser', { ttl: 60 }, bearer(key))
    return body as { id: string; cdpUrl: string; liveViewUrl: string }
  }

  test('revoking a key ends and bills its sessions, wherever they run, and refuses their tokens', async () => {
    const { key, id: keyId } = await createKey(lab, { team: 'leakers' })
    const session = await create(key)
    await using cdp = await connectCdp(session.cdpUrl)
    expect((await cdp.call('Browser.getVersion')).result).toBeDefined()

    await other.api('DELETE', `/v2/team/keys/${keyId}`)

    expect(await cdp.closed).toMatchObject({ code: 4006, reason: 'revoked' })
    const ended = async () => (await lab.api('GET', `/v2/browser/${session.id}`)).body
    await expect.poll(ended).toMatchObject({ status: 'destroyed', endReason: 'revoked', creditsBilled: 2 })
    expect(await refusedUpgrade(session.cdpUrl)).toMatchObject({ status: 410 })
    expect((await fetch(session.liveViewUrl)).status).toBe(410)
    // Other servers cache a key for five seconds.
    await expect.poll(async () => statusWith(lab, key), { timeout: 10_000 }).toBe(401)
  })

  test('an admin can list and end sessions of every team, but not control them', async () => {
    const { key } = await createKey(lab, { team: 'blue' })
    const session = await create(key)
    const list = async (query: string, headers = bearer(lab.server.apiKey)) =>
      (await other.api('GET', `/v2/browser?status=active${query}`, undefined, headers)).body

    expect((await list(''))['sessions']).toEqual([])
    for (const query of ['&team=blue', '&team=*']) {
      const { sessions } = await list(query)
      expect(sessions).toMatchObject([{ id: session.id, team: 'blue' }])
      expect(sessions[0].cdpUrl ?? sessions[0].liveViewUrl ?? sessions[0].interactiveLiveViewUrl).toBeUndefined()
    }
    expect((await list('&team=blue', bearer(key)))['sessions']).toHaveLength(1)
    expect(await list('&team=default', bearer(key))).toMatchObject({ success: false, code: 'FORBIDDEN' })
    expect(await list('&team=nobody')).toMatchObject({ success: false, code: 'TEAM_NOT_FOUND' })
    const { body } = await other.api('GET', `/v2/browser/${session.id}`)
    expect(body).toMatchObject({ status: 'active' })
    expect(body['cdpUrl']).toBeUndefined()
    const { body: bill } = await other.api('DELETE', `/v2/browser/${session.id}`)
    expect(bill).toMatchObject({ success: true, creditsBilled: 2 })
  })

  test('a request for a key with an unknown field is refused instead of creating one for another team', async () => {
    const keys = async () => (await lab.api('GET', '/v2/team/keys')).body['data'].length as number
    const before = await keys()

    const answer = await lab.api('POST', '/v2/team/keys', { teamName: 'red', role: 'admin', origin: 'ci' })

    expect(answer).toMatchObject({ status: 400, body: { error: 'Unrecognized key in body: teamName' } })
    expect(await keys()).toBe(before)
  })

  test('a member key cannot end sessions of another team', async () => {
    const session = await lab.createSession({ ttl: 60 })
    const { key } = await createKey(lab, { team: 'red' })

    const answer = await lab.api('DELETE', `/v2/browser/${session.id}`, undefined, bearer(key))

    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    await lab.api('DELETE', `/v2/browser/${session.id}`)
  })
})

describe('servers on one PostgreSQL', () => {
  test('accept a bootstrap key as long as one of them is configured with it', async () => {
    const [first, second] = ['first-key-0123456789abc', 'second-key-0123456789ab']
    await using database = await (await sharedPostgres()).createDatabase()
    await using blobs = await mkdtempDisposable(join(tmpdir(), 'bowline-keys-'))
    const start = async (apiKey: string) => startLab({ databaseUrl: database.url, blobs: blobs.path, apiKey })
    const left = await start(first)
    await using right = await start(second)

    expect([await statusWith(right, first), await statusWith(right, second)]).toEqual([200, 200])
    await left[Symbol.asyncDispose]()
    await expect.poll(async () => statusWith(right, first), { timeout: 15_000 }).toBe(401)
    expect(await statusWith(right, second)).toBe(200)
  })

  test('refuse to start with blobs that the others cannot read', async () => {
    await using database = await (await sharedPostgres()).createDatabase()
    await using left = await startLab({ databaseUrl: database.url })

    await expect(startLab({ databaseUrl: database.url })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(left.server.url),
      hint: expect.stringContaining('--blobs'),
    })
  })
})
