import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
let session: CreateSessionResponse
beforeAll(async () => {
  lab = await startLab()
  session = await lab.createSession()
})
afterAll(async () => lab[Symbol.asyncDispose]())

const scrape = async (options: object = {}, id = session.id): Promise<Answer> =>
  lab.api('POST', `/v2/browser/${id}/scrape`, options)

describe('options', () => {
  test.each([
    ['url', 'http://example.com'],
    ['maxAge', 0],
    ['headers', {}],
    ['proxy', 'basic'],
    ['mobile', true],
    ['location', { country: 'DE' }],
    ['skipTlsVerification', true],
    ['profile', { name: 'x' }],
  ])('about loading a page, such as %s, are refused', async (name, value) => {
    const bySession = await lab.api('POST', '/v2/scrape', { sessionId: session.id, [name]: value })
    for (const { status, body } of [await scrape({ [name]: value }), bySession]) {
      expect({ status, error: body['error'] }).toEqual({
        status: 400,
        error: `Bad Request: ${name}: cannot be used with a session, whose page is read as it is, without loading it. Remove it`,
      })
    }
  })

  test.each([
    [{ formats: ['markdown', 'changeTracking'] }, 'changeTracking cannot be used with a session'],
    [{ formats: [{ type: 'screenshot', viewport: { width: 10, height: 10 } }] }, 'cannot have a `viewport`'],
    [{ actions: [{ type: 'screenshot', viewport: { width: 10, height: 10 } }] }, 'cannot have a `viewport`'],
    [{ fromats: [] }, 'fromats'],
  ])('that would load or resize the page, or are unknown, are refused: %j', async (options, message) => {
    const { status, body } = await scrape(options)

    expect(status).toBe(400)
    expect(body['error']).toContain(message)
  })

  test('of a scrape by URL are checked as before', async () => {
    const { status, body } = await lab.api('POST', '/v2/scrape', { formats: ['markdown'] })

    expect({ status, error: body['error'] }).toEqual({
      status: 400,
      error: '`url` must be a string, but it is missing',
    })
  })
})

describe('a session that cannot be read', () => {
  test('is unknown, has ended, or belongs to another team', async () => {
    const ended = await lab.createSession()
    await lab.api('DELETE', `/v2/browser/${ended.id}`)
    const { body } = await lab.api('POST', '/v2/team/keys', { name: 'other', team: 'other' })
    const foreign = { authorization: `Bearer ${body['key']}` }

    expect(await scrape({}, '0191e0a2-0000-7000-8000-000000000000')).toMatchObject({
      status: 404,
      body: { code: 'SESSION_NOT_FOUND' },
    })
    expect(await scrape({}, ended.id)).toMatchObject({ status: 410, body: { code: 'SESSION_ENDED' } })
    expect(await lab.api('POST', `/v2/browser/${session.id}/scrape`, {}, foreign)).toMatchObject({
      status: 404,
      body: { code: 'SESSION_NOT_FOUND' },
    })
  })
})
