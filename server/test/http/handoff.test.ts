import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { Bowline, type Session } from '../../../src/index.ts'
import { connectCdp, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startReceiver, type Receiver } from '../../../test/lab/receiver.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let receiver: Receiver
let session: CreateSessionResponse
let client: CdpSocket
beforeAll(async () => {
  receiver = fixture.use(await startReceiver())
  lab = fixture.use(await startLab())
  session = await lab.createSession({ webhook: { url: receiver.url(), events: ['session.handoff'] } })
  client = fixture.use(await connectCdp(session.cdpUrl))
})
afterAll(async () => fixture.disposeAsync())

const start = async (body: object, id = session.id): Promise<Answer> =>
  lab.api('POST', `/v2/browser/${id}/handoff`, body)
const get = async (id: string, wait = 0): Promise<Answer> =>
  lab.api('GET', `/v2/browser/${session.id}/handoff/${id}?wait=${wait}`)
const complete = async (targetId: string, reason?: string): Promise<unknown> =>
  client.call('Cloudflare.handoffComplete', { targetId, reason })

test('a hand-off starts, is part of its session, and reports its end to those who wait and to the webhook', async () => {
  const { status, body } = await start({ instructions: 'Sign in', timeout: 60_000 })
  const { id, targetId, startedAt } = body['handoff']
  const shown = await lab.api('GET', `/v2/browser/${session.id}`)
  const listed = await lab.api('GET', '/v2/browser?status=active')
  const waiting = get(id, 25)

  await complete(targetId, 'Signed in')
  const ended = (await waiting).body['handoff']

  const expiresAt = new Date(Date.parse(startedAt) + 60_000).toISOString()
  const open = { id, targetId, instructions: 'Sign in', input: 'wait', status: 'open', startedAt, expiresAt }
  expect([status, body['handoff']]).toEqual([200, open])
  expect(shown.body['handoff']).toEqual(open)
  expect(listed.body['sessions'][0].handoff).toEqual(open)
  const endedAt = expect.any(String) as string
  expect(ended).toEqual({ ...open, status: 'succeeded', endedAt, endedBy: 'client', reason: 'Signed in' })
  expect((await lab.api('GET', `/v2/browser/${session.id}`)).body['handoff']).toBeUndefined()
  const events = await receiver.whenReceived(2)
  const shape = { type: 'session.handoff', id: session.id, success: true }
  expect(events.map(({ body: event }) => event).toSorted((a) => (a['data'][0].handoff.endedAt ? 1 : -1))).toMatchObject(
    [
      { ...shape, data: [{ id: session.id, handoff: open }] },
      { ...shape, data: [{ id: session.id, handoff: ended }] },
    ],
  )
})

test('a hand-off is cancelled, once', async () => {
  const { id } = (await start({ instructions: 'Sign in' })).body['handoff']

  const [first, second] = [
    await lab.api('DELETE', `/v2/browser/${session.id}/handoff/${id}`),
    await lab.api('DELETE', `/v2/browser/${session.id}/handoff/${id}`),
  ]

  expect(first.body['handoff']).toMatchObject({ id, status: 'failed', endedBy: 'client' })
  expect(second).toMatchObject({ status: 200, body: first.body })
})

test('a page that a human has is scraped without actions, and not with them', async () => {
  const { targetId } = (await start({ instructions: '' })).body['handoff']
  const scrape = async (body: object): Promise<Answer> => lab.api('POST', `/v2/browser/${session.id}/scrape`, body)

  const [plain, acting] = [await scrape({}), await scrape({ actions: [{ type: 'press', key: 'Enter' }] })]
  await complete(targetId)

  expect([plain.status, acting.status, acting.body['code']]).toEqual([200, 409, 'HANDOFF_OPEN'])
})

test('a wait that times out returns the open hand-off', async () => {
  const answer = await lab.api('POST', `/v2/browser/${session.id}/handoff?wait=1`, { instructions: '' })

  expect(answer.body['handoff']).toMatchObject({ status: 'open' })
  await complete(answer.body['handoff'].targetId)
})

test.each([
  [{}, 400, '`instructions` must be a string'],
  [{ instructions: 'x'.repeat(4097) }, 400, '`instructions`'],
  [{ instructions: '', timeout: 86_400_001 }, 400, '`timeout`'],
  [{ instructions: '', input: 'maybe' }, 400, '`input`'],
  [{ instructions: '', targetId: 'X' }, 404, 'The session has no page "X"'],
])('%j is refused with %i', async (body, status, error) => {
  const answer = await start(body)

  expect(answer.status).toBe(status)
  expect(answer.body['error']).toContain(error)
})

test('a second hand-off of a page, an unknown one, and one of another team are refused', async () => {
  const { targetId } = (await start({ instructions: '' })).body['handoff']
  const second = await start({ instructions: '' })
  await complete(targetId)
  const unknown = await get('unknown')
  const missing = await start({ instructions: '' }, '01a1fd15-0c10-7879-aa7c-0b034b2f48df')

  expect([second, unknown, missing].map(({ status, body }) => [status, body['code']])).toEqual([
    [409, 'HANDOFF_OPEN'],
    [404, 'HANDOFF_NOT_FOUND'],
    [404, 'SESSION_NOT_FOUND'],
  ])
})

test('the client resolves when the human is done, the session ends, or it is aborted', async () => {
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
  const own: Session = await bowline.sessions.create({ ttl: 60 })
  await using cdp = await connectCdp(own.cdpUrl)
  const page = await cdp.attachToPage()
  const isOpen = async (): Promise<unknown> =>
    (await cdp.call('Cloudflare.getHandoffState', {}, page)).result?.['active']

  const done = own.handoff({ instructions: 'Sign in', timeoutMs: 60_000 })
  await expect.poll(isOpen).toBe(true)
  await cdp.call('Cloudflare.handoffComplete', { success: false, reason: 'No card' }, page)
  const timedOut = own.handoff({ instructions: '', timeoutMs: 1 })
  const outcomes = [await done, await timedOut]
  const aborting = new AbortController()
  const aborted = own.handoff({ instructions: '', signal: aborting.signal }).catch((error: unknown) => error)
  await expect.poll(isOpen).toBe(true)
  aborting.abort(new Error('no longer needed'))
  const error = await aborted
  await expect.poll(isOpen).toBe(false)
  const cut = own.handoff({ instructions: '' })
  await expect.poll(isOpen).toBe(true)
  await own.end()

  expect(outcomes).toMatchObject([
    { success: false, reason: 'No card', endedBy: 'client' },
    { success: false, endedBy: 'timeout' },
  ])
  expect(error).toMatchObject({ message: 'no longer needed' })
  expect(await cut).toEqual({ success: false, reason: 'The session has ended', endedBy: 'session-ended' })
})
