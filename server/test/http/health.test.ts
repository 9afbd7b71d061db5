import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

const metricsToken = 'metrics-token-0123456789'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ warm: 1, metricsToken })
})
afterAll(async () => lab[Symbol.asyncDispose]())

test('/livez responds without a key', async () => {
  expect(await lab.api('GET', '/livez', undefined, {})).toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('/readyz is ready once the pool is warm, and shows browser, store and isolation to callers with a key', async () => {
  await expect.poll(async () => (await lab.api('GET', '/readyz', undefined, {})).status).toBe(200)

  const { body } = await lab.api('GET', '/readyz')

  expect(body).toMatchObject({
    status: 'ok',
    browser: { version: expect.stringMatching(/^\d+\./) },
    store: { state: 'open' },
    pool: { warm: 1, isWarm: true },
    sessions: { live: 0, isDraining: false },
  })
  expect(body['layers'].map((layer: { name: string }) => layer.name)).toContain('chromium sandbox')
})

test.each([{}, { authorization: 'Bearer bl-unknown' }])(
  '/readyz shows no details of the machine to %j',
  async (headers) => {
    const { status, body } = await lab.api('GET', '/readyz', undefined, headers)

    expect([200, 503]).toContain(status)
    expect(Object.keys(body).toSorted()).toEqual(['pool', 'reasons', 'sessions', 'status', 'store'])
    expect([body['store'], body['pool'], body['sessions']].map((part) => Object.keys(part))).toEqual([
      ['state', 'isWritable'],
      ['isWarm'],
      ['isDraining'],
    ])
  },
)

test('/metrics accepts an admin key or the metrics token, and responds in Prometheus format', async () => {
  const session = await lab.createSession()
  await lab.api('DELETE', `/v2/browser/${session.id}`)
  const { body: member } = await lab.api('POST', '/v2/team/keys', { team: 'others' })
  const statusWith = async (headers: Readonly<Record<string, string>>, path = '/metrics') =>
    (await lab.api('GET', path, undefined, headers)).status
  const token = { authorization: `Bearer ${metricsToken}` }

  expect(await statusWith({})).toBe(401)
  expect(await statusWith({ authorization: `Bearer ${member['key']}` })).toBe(403)
  expect(await statusWith(token)).toBe(200)
  expect(await statusWith(token, '/v2/browser')).toBe(401)
  const { body } = await lab.api('GET', '/metrics')
  expect(body['text']).toMatch(/^bowline_sessions_ended_total\{reason="deleted"\} 1$/m)
  expect(body['text']).toMatch(/^bowline_credits_billed_total\{kind="session"\} 2$/m)
  expect(body['text']).toMatch(/^bowline_request_seconds_count\{method="POST",route="\/v2\/browser",status="200"\} 1$/m)
  expect(body['text']).toMatch(/^bowline_request_seconds_bucket\{le="600",method="POST"/m)
  expect(body['text']).toMatch(/^bowline_build_info\{version="[^"]+",node="24[^"]+"\} 1$/m)
})

test('values that only increase are counters, and reading them does not change them', async () => {
  const countLaunched = async (): Promise<number> => (await lab.api('GET', '/readyz')).body['pool'].launched
  await lab.api('GET', '/metrics')
  const before = await countLaunched()
  const { body } = await lab.api('GET', '/metrics')
  const after = await countLaunched()
  const text = body['text'] as string

  for (const name of [
    'browsers_launched',
    'orphans_swept',
    'egress_sent_bytes',
    'egress_received_bytes',
    'egress_refused',
    'live_input_refused',
  ]) {
    expect(text).toContain(`# TYPE bowline_${name}_total counter`)
  }
  const launched = Number(/^bowline_browsers_launched_total (\d+)$/m.exec(text)?.[1])
  expect(launched).toBeGreaterThanOrEqual(before)
  expect(launched).toBeLessThanOrEqual(after)
})

test('the OpenAPI document lists every route of the contract, and its page opens', async () => {
  const { routes } = await import('../../../src/contract.ts')

  const { body } = await lab.api('GET', '/openapi.json', undefined, {})

  for (const route of Object.values(routes)) {
    expect(body['paths'][route.path]?.[route.method.toLowerCase()], `${route.method} ${route.path}`).toBeDefined()
  }
  const page = await lab.api('GET', '/docs', undefined, {})
  expect(page).toMatchObject({ status: 200, body: { text: expect.stringContaining('<title>Bowline API</title>') } })
})

test('the root URL links to the documentation', async () => {
  const { body } = await lab.api('GET', '/', undefined, {})

  expect(body).toEqual({ message: expect.stringContaining('Bowline'), documentation_url: `${lab.server.url}/docs` })
})

test('an unknown route gets 404 in the error format of the API', async () => {
  expect(await lab.api('GET', '/v2/nothing?token=secret')).toMatchObject({
    status: 404,
    body: {
      success: false,
      code: 'ROUTE_NOT_FOUND',
      error: 'No route matches GET /v2/nothing',
      requestId: expect.any(String),
    },
  })
})

test("every response has a request id, the caller's if it is valid", async () => {
  const given = await lab.api('GET', '/livez', undefined, { 'x-request-id': 'my-id-1' })
  const made = await lab.api('GET', '/livez', undefined, { 'x-request-id': 'x'.repeat(200) })
  const own = await lab.api('GET', '/livez', undefined, {})

  expect(given.headers.get('x-request-id')).toBe('my-id-1')
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a JSON body without its content type is rejected with the header to send', async () => {
  const answer = await lab.api('POST', '/v2/browser', '{"ttl":30}', {
    authorization: `Bearer ${lab.server.apiKey}`,
    'content-type': 'text/plain',
  })

  expect(answer).toMatchObject({
    status: 400,
    body: { error: 'The request body must have the header `Content-Type: application/json`' },
  })
})
