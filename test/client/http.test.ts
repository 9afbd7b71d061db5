import { describe, expect, test } from 'vitest'
import { sendJson, startForeignService, type Answer } from './foreign-service.ts'
import { Bowline, BowlineError, type BowlineOptions } from '../../src/index.ts'

async function startFixture(answer?: Answer, options: BowlineOptions = {}) {
  const service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, ...options })
  return { service, bowline, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** Fails the first requests only. */
function atFirst(times: number, answer: Answer): Answer {
  let left = times
  return (request, response) => {
    left -= 1
    return left >= 0 && answer(request, response)
  }
}

async function rejection(promise: Promise<unknown>): Promise<BowlineError> {
  return promise.then(
    () => new BowlineError('REQUEST_FAILED', 'It did not reject'),
    (error: BowlineError) => error,
  )
}

test('every request has the API key, a request id and the custom headers', async () => {
  await using fixture = await startFixture(undefined, { headers: { 'x-team': 'blue' } })

  await fixture.bowline.sessions.list({ status: 'active' })

  const request = fixture.service.requests[0]
  expect(request).toMatchObject({ method: 'GET', path: '/v2/browser?status=active' })
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${fixture.service.apiKey}`, 'x-team': 'blue' })
  expect(request?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('a base URL may have a path and a trailing slash', async () => {
  await using service = await startForeignService((_, response) =>
    sendJson(response, 200, { success: true, sessions: [] }),
  )
  const bowline = new Bowline({ baseUrl: `${service.url}/browsers/`, apiKey: service.apiKey })

  await bowline.sessions.list()

  expect(service.requests[0]?.path).toBe('/browsers/v2/browser')
})

test('a base URL that ends in a version of the API is refused', () => {
  expect(() => new Bowline({ baseUrl: 'https://one.example/api/v2/', apiKey: 'fc-1' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('to https://one.example/api.') }),
  )
})

test('a shortened API key is refused with what to do', () => {
  expect(() => new Bowline({ baseUrl: 'https://one.example', apiKey: 'fc-01…' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('Copy the whole key') }),
  )
})

test.each([429, 502, 503, 504])('status %i is retried', async (status) => {
  await using fixture = await startFixture(atFirst(2, (_, response) => sendJson(response, status, { error: 'later' })))

  await expect(fixture.bowline.sessions.list()).resolves.toEqual([])

  expect(fixture.service.requests).toHaveLength(3)
  expect(new Set(fixture.service.requests.map(({ headers }) => headers['x-request-id'])).size).toBe(1)
})

test('a 502 of a proxy without JSON is retried', async () => {
  await using fixture = await startFixture(
    atFirst(1, (_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
      return true
    }),
  )

  await expect(fixture.bowline.sessions.list()).resolves.toEqual([])
})

test.each([400, 401, 404, 500])('status %i is not retried', async (status) => {
  await using fixture = await startFixture((_, response) => sendJson(response, status, { success: false, error: 'no' }))

  await expect(fixture.bowline.sessions.list()).rejects.toMatchObject({ status, message: 'no' })

  expect(fixture.service.requests).toHaveLength(1)
})

test('Retry-After is respected', async () => {
  await using fixture = await startFixture(
    atFirst(1, (_, response) => sendJson(response, 429, { error: 'slow down' }, { 'retry-after': '1' })),
  )
  const startedAt = performance.now()

  await fixture.bowline.sessions.list()

  expect(performance.now() - startedAt).toBeGreaterThan(1000)
})

test('an abort ends the delay before a retry at once', async () => {
  const caller = new AbortController()
  await using fixture = await startFixture((_, response) => {
    setImmediate(() => caller.abort(new Error('enough')))
    return sendJson(response, 503, { error: 'later' }, { 'retry-after': '30' })
  })

  await expect(fixture.bowline.sessions.list({}, { signal: caller.signal })).rejects.toThrow('enough')
})

test('a lost connection is retried', async () => {
  await using fixture = await startFixture(
    atFirst(2, (_, response) => {
      response.destroy()
      return true
    }),
  )

  await expect(fixture.bowline.sessions.list()).resolves.toEqual([])
})

test('retrying a creation whose response was lost does not create a second session', async () => {
  await using fixture = await startFixture(
    atFirst(1, (_, response) => {
      response.destroy()
      return true
    }),
  )

  const session = await fixture.bowline.sessions.create()
  await session.end()

  expect(session.id).toBe('session-1')
  expect(fixture.service.created).toEqual(['session-1'])
  expect(new Set(fixture.service.requests.slice(0, 2).map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1)
})

test('two creations have different idempotency keys', async () => {
  await using fixture = await startFixture()

  const sessions = await Promise.all([fixture.bowline.sessions.create(), fixture.bowline.sessions.create()])
  await Promise.all(sessions.map((session) => session.end()))

  expect(fixture.service.created).toHaveLength(2)
})

test('a POST that is not idempotent is sent once', async () => {
  await using fixture = await startFixture((_, response) => sendJson(response, 503, { error: 'later' }))

  await expect(fixture.bowline.keys.create()).rejects.toMatchObject({ status: 503 })

  expect(fixture.service.requests).toHaveLength(1)
})

test('a service that hangs causes TIMEOUT', async () => {
  await using fixture = await startFixture(() => true, { timeoutMs: 100, retries: 0 })

  await expect(fixture.bowline.sessions.list()).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: 'GET /v2/browser timed out after 100 ms',
  })
})

test('a time limit above the maximum of timers is no limit', async () => {
  await using fixture = await startFixture(() => false, { timeoutMs: Number.MAX_SAFE_INTEGER, retries: 0 })

  expect(await fixture.bowline.sessions.list()).toEqual([])
})

test('a service that hangs in the middle of a response causes TIMEOUT', async () => {
  const hang: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"success":')
    return true
  }
  await using fixture = await startFixture(hang, { timeoutMs: 100, retries: 0 })

  await expect(fixture.bowline.sessions.list()).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('a refused connection causes CONNECTION_FAILED', async () => {
  const bowline = new Bowline({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fc-secret', retries: 0 })

  await expect(bowline.sessions.list()).rejects.toMatchObject({
    code: 'CONNECTION_FAILED',
    message: expect.stringContaining('GET http://127.0.0.1:1/v2/browser failed') as string,
    requestId: expect.any(String) as string,
  })
})

test('a base URL with https of a server without TLS causes an error that names http', async () => {
  await using fixture = await startFixture()
  const baseUrl = fixture.service.url.replace('http:', 'https:')
  const bowline = new Bowline({ baseUrl, apiKey: 'fc-secret', retries: 0 })

  await expect(bowline.sessions.list()).rejects.toMatchObject({
    code: 'CONNECTION_FAILED',
    message: `GET ${baseUrl}/v2/browser failed: the server does not speak TLS`,
    hint: `Use ${fixture.service.url} instead of ${baseUrl}.`,
  })
})

describe('invalid responses', () => {
  test('HTML instead of JSON causes RESPONSE_INVALID with its first 200 characters', async () => {
    await using fixture = await startFixture((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${'x'.repeat(500)}`)
      return true
    })

    const error = await rejection(fixture.bowline.sessions.list())

    expect(error).toMatchObject({ code: 'RESPONSE_INVALID', status: 200 })
    expect(error.message).toContain(`"<html>${'x'.repeat(194)}"`)
  })

  test('a creation without a CDP URL causes RESPONSE_INVALID, and its session is deleted', async () => {
    await using fixture = await startFixture(
      ({ method }, response) => method === 'POST' && sendJson(response, 200, { success: true, id: 'session-1' }),
    )

    await expect(fixture.bowline.sessions.create()).rejects.toMatchObject({ code: 'RESPONSE_INVALID' })

    expect(fixture.service.deleted).toEqual(['session-1'])
  })

  test('`success: false` with status 200 is an error', async () => {
    await using fixture = await startFixture((_, response) =>
      sendJson(response, 200, { success: false, error: 'DNS resolution failed', code: 'SCRAPE_DNS_RESOLUTION_ERROR' }),
    )

    await expect(fixture.bowline.sessions.list()).rejects.toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' })
  })

  test('the error has the code, hint, details and request id of the response', async () => {
    const body = {
      success: false,
      error: 'ttl is 5',
      code: 'BAD_REQUEST',
      hint: 'Use 30.',
      details: [{ path: ['ttl'] }],
    }
    await using fixture = await startFixture((_, response) => sendJson(response, 400, body, { 'x-request-id': 'r-1' }))

    await expect(fixture.bowline.sessions.create({ ttl: 5 })).rejects.toMatchObject({
      name: 'BowlineError',
      code: 'BAD_REQUEST',
      message: 'ttl is 5',
      hint: 'Use 30.',
      details: [{ path: ['ttl'] }],
      requestId: 'r-1',
    })
  })

  test.each([
    [401, 'Unauthorized: Invalid token', 'UNAUTHORIZED: Invalid token'],
    [401, 'Unauthorized', 'UNAUTHORIZED: Unauthorized'],
    [400, 'Bad Request: url: Required', 'BAD_REQUEST: url: Required'],
  ])('the line of an error with status %i and message %j names its kind once', async (status, message, line) => {
    await using fixture = await startFixture((_, response) => sendJson(response, status, { error: message }))

    const error = await rejection(fixture.bowline.sessions.list())

    expect(error.toLine()).toMatch(new RegExp(`^${line}(?: \\(|$)`))
  })

  test('the JSON of an error has its message', async () => {
    await using fixture = await startFixture((_, response) => sendJson(response, 404, { error: 'None', code: 'NONE' }))

    const error = await rejection(fixture.bowline.sessions.list())

    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'NONE', message: 'None', status: 404 })
  })

  test('an API key in a response is redacted', async () => {
    await using fixture = await startFixture(({ headers }, response) =>
      sendJson(response, 401, { success: false, error: `Invalid: ${headers.authorization}` }),
    )

    const error = await rejection(fixture.bowline.sessions.list())

    expect(error.message).toContain('Invalid: Bearer [API key]')
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(fixture.service.apiKey)
  })
})

test('an id that would change the path is rejected', async () => {
  await using fixture = await startFixture()

  await expect(fixture.bowline.sessions.get('..')).rejects.toMatchObject({ code: 'BAD_REQUEST' })

  expect(fixture.service.requests).toEqual([])
})

test.each([
  ['no base URL', { apiKey: 'k' }, /BOWLINE_BASE_URL/],
  ['an invalid base URL', { baseUrl: 'localhost', apiKey: 'k' }, /BOWLINE_BASE_URL/],
  ['no API key', { baseUrl: 'http://127.0.0.1' }, /BOWLINE_API_KEY/],
  ['an API key with a line break', { baseUrl: 'http://127.0.0.1', apiKey: 'k\n' }, /BOWLINE_API_KEY/],
  ['a time limit of NaN', { baseUrl: 'http://127.0.0.1', apiKey: 'k', timeoutMs: Number.NaN }, /timeoutMs/],
])('%s causes CONFIG_INVALID with a hint at the setting', (_, options, hint) => {
  expect(() => new Bowline({ ...options })).toThrowError(
    expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringMatching(hint) as string }) as Error,
  )
})
