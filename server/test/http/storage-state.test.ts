import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

function pathOf(name: string): string {
  return `/v2/browser/profiles/${encodeURIComponent(name)}`
}

describe('a storageState is imported and exported in a session', () => {
  const manyOrigins = {
    origins: Array.from({ length: 400 }, (_, index) => ({ origin: `https://site${index}.example` })),
  }

  /** Creates a team, and a function that calls the API with its key. */
  const startTeam = async (limits: { readonly credits: number; readonly maxConcurrency: number }) => {
    const name = crypto.randomUUID()
    const team = (await lab.api('POST', '/v2/teams', { name, ...limits })).body['data'].id
    const { body } = await lab.api('POST', '/v2/team/keys', { team: name })
    const headers = { authorization: `Bearer ${body['key']}` }
    const api = async (method: string, path: string, sent?: unknown) => lab.api(method, path, sent, headers)
    const balance = async () =>
      (await lab.api('GET', '/v2/teams')).body['data'].find((each: { id: string }) => each.id === team)
    return { headers, api, balance }
  }

  test('that needs no free slot, is billed and is listed', async () => {
    const { api, balance } = await startTeam({ credits: 20, maxConcurrency: 1 })
    const other = await api('POST', '/v2/browser', { ttl: 30 })

    const refused = await api('PUT', `${pathOf('billed')}/storage-state`, { origins: [] })
    await api('DELETE', `/v2/browser/${other.body['id']}`)
    const imported = await api('PUT', `${pathOf('billed')}/storage-state`, { origins: [] })
    const exported = await api('GET', `${pathOf('billed')}/storage-state`)

    expect(refused).toMatchObject({ status: 429, body: { code: 'CONCURRENCY_LIMIT' } })
    expect([imported.status, exported.status]).toEqual([200, 200])
    const profile = { name: 'billed' }
    expect((await api('GET', '/v2/browser')).body['sessions']).toMatchObject([
      { status: 'destroyed', creditsBilled: 2, profile: { ...profile, saveChanges: false } },
      { status: 'destroyed', creditsBilled: 2, profile: { ...profile, saveChanges: true } },
      { id: other.body['id'], creditsBilled: 2 },
    ])
    expect(await balance()).toMatchObject({ credits: 14, reservedCredits: 0, concurrency: 0 })
  })

  test('also with control characters in its name, and cookies without a name', async () => {
    const { api } = await startTeam({ credits: 20, maxConcurrency: 1 })
    const cookie = { name: '', value: 'x', domain: 'a.example', path: '/', expires: -1, httpOnly: false, secure: true }
    const cookies = [{ ...cookie, sameSite: 'Lax' }]

    const imported = await api('PUT', `${pathOf('a\tb')}/storage-state`, { cookies })
    const exported = await api('GET', `${pathOf('a\tb')}/storage-state`)
    const listed = await api('GET', '/v2/browser')

    expect([imported.status, exported.status]).toEqual([200, 200])
    expect(exported.body['data'].cookies).toMatchObject(cookies)
    expect(listed.body['sessions']).toMatchObject([
      { name: 'export of the profile a b' },
      { name: 'import of the profile a b' },
    ])
  })

  test('with a warning about cookies that the browser does not store', async () => {
    const { api } = await startTeam({ credits: 20, maxConcurrency: 1 })
    const cookie = { value: 'x', path: '/', expires: -1, httpOnly: false, secure: false, sameSite: 'Lax' }
    const cookies = [
      { ...cookie, name: 'kept', domain: '.A.example' },
      { ...cookie, name: 'old', domain: 'a.example', expires: 5 },
      { ...cookie, name: 'cross', domain: 'a.example', sameSite: 'None' },
      { ...cookie, name: 'url', domain: 'https://a.example' },
    ]

    const imported = await api('PUT', `${pathOf('dropped')}/storage-state`, { cookies })
    const clean = await api('PUT', `${pathOf('dropped')}/storage-state`, { cookies: cookies.slice(0, 2) })

    expect(imported.body['data'].warning).toBe(
      'The browser did not store 2 cookies, such as "cross" of "a.example". ' +
        'A domain must be a host name, and a cookie with sameSite None must be secure.',
    )
    expect(clean.body['data']).not.toHaveProperty('warning')
  })

  test('that its team must be able to pay for', async () => {
    const { api, balance } = await startTeam({ credits: 1, maxConcurrency: 5 })

    const answer = await api('PUT', `${pathOf('poor')}/storage-state`, { origins: [] })

    expect(answer).toMatchObject({ status: 402, body: { code: 'INSUFFICIENT_CREDITS' } })
    expect(await balance()).toMatchObject({ credits: 1, reservedCredits: 0 })
    expect((await api('PUT', `${pathOf('poor')}/storage-state`, { origins: [] })).status).toBe(402)
  })

  test('that ends when its caller disconnects, with the profile unchanged', async () => {
    const { api, headers, balance } = await startTeam({ credits: 50, maxConcurrency: 1 })
    const stop = new AbortController()
    const gone = fetch(`${lab.server.url}${pathOf('left')}/storage-state`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(manyOrigins),
      signal: stop.signal,
    })
    const sessions = async () => (await api('GET', '/v2/browser')).body['sessions']
    await expect.poll(sessions).toMatchObject([{ status: 'active' }])

    stop.abort()

    await expect(gone).rejects.toThrow('aborted')
    await expect.poll(sessions, { timeout: 5000 }).toMatchObject([{ status: 'destroyed', creditsBilled: 2 }])
    expect(await balance()).toMatchObject({ credits: 48, concurrency: 0 })
    expect((await api('GET', pathOf('left'))).status).toBe(404)
  })

  test('that counts as a session of the server, and ends when it shuts down', async () => {
    await using small = await startLab({ maxSessions: 1 })
    const first = small.api('PUT', `${pathOf('first')}/storage-state`, manyOrigins).catch((error: unknown) => error)
    await expect.poll(() => small.server.liveSessions()).toBe(1)

    const second = await small.api('PUT', `${pathOf('second')}/storage-state`, { origins: [] })
    await small.server[Symbol.asyncDispose]()

    expect(second).toMatchObject({ status: 429, body: { code: 'CONCURRENCY_LIMIT' } })
    expect(await first).toMatchObject({ status: 503, body: { code: 'DRAINING' } })
  })

  test.each([{}, { foo: 1 }, undefined])('that has cookies or origins, unlike %j', async (body) => {
    const path = `${pathOf('empty')}/storage-state`
    const error = '`cookies` or `origins` is missing'

    expect(await lab.api('PUT', path, body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', error } })
    expect((await lab.api('GET', pathOf('empty'))).status).toBe(404)
  })

  test('that visits at most 500 origins', async () => {
    const origins = Array.from({ length: 501 }, () => manyOrigins.origins[0])

    const { status, body } = await lab.api('PUT', `${pathOf('huge')}/storage-state`, { origins })

    expect([status, body['error']]).toEqual([400, expect.stringContaining('origins')])
  })
})
