import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { openStore } from '../../src/store/open.ts'

let lab: Lab
/** A session with a name and metadata, which has ended. */
let ended: { readonly id: string }
const labels = { name: 'Nightly export', metadata: { customer: '4711', 'odd key=[x]': 'Grüße & more' } }

beforeAll(async () => {
  lab = await startLab()
  ended = await lab.createSession({ ttl: 60, ...labels })
})
afterAll(async () => lab[Symbol.asyncDispose]())

const idsOf = async (query: string): Promise<readonly string[]> =>
  (await lab.api('GET', `/v2/browser?${query}`)).body['sessions'].map((each: { id: string }) => each.id)

describe('the name and the metadata of a session', () => {
  test('are in the responses that create, read, list and delete it', async () => {
    const created = await lab.createSession({ ttl: 60, ...labels })
    const path = `/v2/browser/${created.id}`

    const read = await lab.api('GET', path)
    const listed = await lab.api('GET', '/v2/browser?status=active')
    const deleted = await lab.api('DELETE', path)

    expect(created).toMatchObject(labels)
    expect(read.body).toMatchObject(labels)
    expect(listed.body['sessions'][0]).toMatchObject({ id: created.id, ...labels })
    expect(deleted.body).toMatchObject(labels)
  })

  test('are absent without any', async () => {
    const created = await lab.createSession({ ttl: 60, metadata: {} })

    const { body } = await lab.api('DELETE', `/v2/browser/${created.id}`)

    expect(created).not.toHaveProperty('name')
    expect(created).not.toHaveProperty('metadata')
    expect(body).not.toHaveProperty('metadata')
  })

  test('are part of the request that an idempotency key repeats', async () => {
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': 'labels' }
    const { body } = await lab.api('POST', '/v2/browser', { ttl: 60, name: 'one' }, headers)

    const repeated = await lab.api('POST', '/v2/browser', { ttl: 60, name: 'one' }, headers)
    const changed = await lab.api('POST', '/v2/browser', { ttl: 60, name: 'two' }, headers)

    expect(repeated.body).toMatchObject({ id: body['id'], name: 'one' })
    expect(changed.status).toBe(409)
    await lab.api('DELETE', `/v2/browser/${body['id']}`)
  })

  test('are the target in the activity', async () => {
    const { body } = await lab.api('GET', '/v2/team/activity?endpoint=browser')

    expect(body['data']).toContainEqual(expect.objectContaining({ id: ended.id, target: labels.name }))
  })

  test('are the title of its recordings', async () => {
    const { id } = await lab.createSession({ ttl: 60, name: 'Fish & <chips>', record: { console: true } })
    await lab.api('DELETE', `/v2/browser/${id}`)

    const { body } = await lab.api('GET', `/v2/browser/${id}/recordings`)
    const { url } = body['recordings'].find((each: { name: string }) => each.name === 'player.html')

    expect(body['sessionName']).toBe('Fish & <chips>')
    expect(await (await fetch(url)).text()).toContain('<title>Fish &amp; &lt;chips&gt; · recording</title>')
  })

  test('do not prevent a list or the end of a session if they cannot be read', async () => {
    const { id } = await lab.createSession({ ttl: 60, ...labels })
    await using store = await openStore({ dataDir: lab.dataDir, databaseUrl: lab.server.config.databaseUrl })
    await sql`update session set metadata = '["not", "an", "object"]' where id = ${id}`.execute(store.db)

    const { body } = await lab.api('GET', '/v2/browser?status=active')
    const deleted = await lab.api('DELETE', `/v2/browser/${id}`)

    expect(body['sessions'][0]).toMatchObject({ id, name: labels.name })
    expect(body['sessions'][0]).not.toHaveProperty('metadata')
    expect(deleted.body).toMatchObject({ name: labels.name, creditsBilled: 2 })
  })

  test.each([
    [{ name: '' }, '`name` must have at least 1 character'],
    [{ name: 'x'.repeat(201) }, '`name` must have at most 200 characters'],
    [{ name: 5 }, '`name` must be a string'],
    [{ name: 'two\nlines' }, 'name: cannot contain line breaks or other control characters'],
    [{ metadata: [] }, '`metadata` must be an object'],
    [{ metadata: { a: 1 } }, '`metadata.a` must be a string'],
    [{ metadata: { a: 'x'.repeat(501) } }, '`metadata.a` must have at most 500 characters'],
    [{ metadata: { [`b${'x'.repeat(40)}`]: '' } }, 'must have at most 40 characters'],
    [{ metadata: { '': 'a' } }, 'must have at least 1 character'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, ''])) },
      'metadata: must have at most 50 entries',
    ],
  ])('with %j respond 400', async (body, error) => {
    const answer = await lab.api('POST', '/v2/browser', body)

    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect(answer.body['error']).toContain(error)
  })
})

describe('a list of sessions', () => {
  test('is read page by page', async () => {
    const read = async (query: string) => (await lab.api('GET', `/v2/browser?limit=1${query}`)).body
    const first = await read('')
    const second = await read(`&cursor=${String(first['cursor'])}`)

    expect(first['sessions']).toHaveLength(1)
    expect(second['sessions']).toHaveLength(1)
    expect(second['sessions']).not.toEqual(first['sessions'])
    expect(await read('&cursor=nonsense')).toMatchObject({ code: 'BAD_REQUEST', error: 'Invalid cursor.' })
  })

  test.each([
    ['name=Nightly%20export', true],
    ['name=Nightly', false],
    ['metadata[customer]=4711', true],
    ['metadata%5Bcustomer%5D=4711', true],
    ['metadata[customer]=471', false],
    ['metadata[nobody]=4711', false],
    [`metadata[customer]=4711&metadata[${encodeURIComponent('odd key=[x]')}]=Gr%C3%BC%C3%9Fe%20%26%20more`, true],
    ['metadata[customer]=4711&metadata[other]=1', false],
    ['metadata[customer]=4711&name=Nightly%20export&limit=1000', true],
    ['status=active&search=nightly', true],
    ['status=ended&search=nightly', false],
    ['endReason=crashed', false],
    ['key=bootstrap', true],
    ['key=unknown', false],
    ['from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z', false],
  ])('with %s has the session: %s', async (query, isFound) => {
    expect((await idsOf(query)).includes(ended.id)).toBe(isFound)
  })

  test.each([
    ['metadata=4711', '`metadata` must be an object'],
    ['metadata[a]=1&metadata[a]=2', 'is in the query 2 times'],
    ['metadata[__proto__]=1', '`metadata` cannot have the key "__proto__"'],
    [`metadata[${'x'.repeat(41)}]=1`, 'must have at most 40 characters'],
    ['name=', '`name` must have at least 1 character'],
  ])('with %s responds 400', async (query, error) => {
    const answer = await lab.api('GET', `/v2/browser?${query}`)

    expect(answer.status).toBe(400)
    expect(answer.body['error']).toContain(error)
  })

  test('describes the metadata filter in the OpenAPI document as a deep object', async () => {
    const { body } = await lab.api('GET', '/openapi.json')
    const { parameters } = body['paths']['/v2/browser'].get

    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'metadata', in: 'query', style: 'deepObject', explode: true }),
    )
  })
})
