import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

describe('an idempotency key', () => {
  const create = async (key: string, body: object = {}) =>
    lab.api('POST', '/v2/browser', body, {
      authorization: `Bearer ${lab.server.apiKey}`,
      'x-idempotency-key': key,
    })

  test('creates one session for concurrent requests, and returns it to a client that lost the response', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, async () => create('at-once', { ttl: 60 })))
    const later = await create('at-once', { ttl: 60 })

    expect(new Set(answers.map((answer) => answer.body['id'])).size).toBe(1)
    expect(later).toMatchObject({ status: 200, body: answers[0]!.body })
  })

  test('of more than 1000 characters is rejected, also for jobs, and one of 1000 can end the session', async () => {
    const long = 'ü'.repeat(1000)
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': `${long}x` }
    const urls = ['http://127.0.0.1:1/']
    const requests = [
      ['/v2/browser', { ttl: 60 }],
      ['/v2/batch/scrape', { urls }],
      ['/v2/crawl', { url: urls[0] }],
    ] as const
    const { body } = await create(long, { ttl: 60 })

    for (const [path, sent] of requests) {
      expect(await lab.api('POST', path, sent, headers)).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST', error: '`x-idempotency-key` must have at most 1000 characters' },
      })
    }
    expect(await lab.api('DELETE', '/v2/browser', { idempotencyKey: long })).toMatchObject({ status: 200 })
    expect((await lab.api('GET', `/v2/browser/${body['id']}`)).body['status']).toBe('destroyed')
  })

  test('returns the session for another spelling of the same request', async () => {
    const { body } = await create('spelled', {
      ttl: 60,
      metadata: { team: 'shop', run: '7' },
      webhook: { url: 'https://example.com/hook', events: ['session.started', 'session.ended'] },
    })
    const again = await create('spelled', {
      webhook: { events: ['session.ended', 'session.started'], url: 'https://example.com/hook' },
      metadata: { run: '7', team: 'shop' },
      ttl: 60,
    })

    expect(again).toMatchObject({ status: 200, body: { id: body['id'] } })
  })

  test('returns the session for a request with values that change nothing', async () => {
    const { body } = await create('plain', { ttl: 60 })
    const spelled = { ttl: 60, record: false, headless: true, metadata: {}, args: [], extensions: [], extraHeaders: {} }

    expect(await create('plain', spelled)).toMatchObject({ status: 200, body: { id: body['id'] } })
  })

  test('reused for another request gets 409, and of an ended session 410', async () => {
    const { body } = await create('reused', { ttl: 60 })

    expect(await create('reused', { ttl: 61 })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    })
    await lab.api('DELETE', `/v2/browser/${body['id']}`)
    expect(await create('reused', { ttl: 60 })).toMatchObject({ status: 410, body: { code: 'SESSION_ENDED' } })
  })
})
