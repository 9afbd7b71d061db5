import { once } from 'node:events'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playwright } from '../../../src/playwright.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import type { InspectedMessage, InspectedRequest, ServerMessage } from '../../src/live/server-message.ts'
import { RequestLog } from '../../src/live/request-log.ts'

let lab: Lab
let site: Site

beforeAll(async () => {
  lab = await startLab()
  site = await startSite()
})

afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await lab[Symbol.asyncDispose]()
})

/** A viewer that inspects a session. */
interface Inspector extends Disposable {
  readonly received: readonly ServerMessage[]
  readonly messages: () => readonly InspectedMessage[]
  readonly requests: () => readonly InspectedRequest[]
  readonly send: (message: object) => void
}

async function inspect(liveViewUrl: string | undefined): Promise<Inspector> {
  const url = new URL(liveViewUrl ?? '')
  url.pathname += '/socket'
  const socket = new WebSocket(url)
  const received: ServerMessage[] = []
  const messages = new Map<number, InspectedMessage>()
  const requests = new Map<number, InspectedRequest>()
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) return
    const message = JSON.parse(data.toString()) as ServerMessage
    received.push(message)
    if (message.type !== 'inspected') return
    if (message.isSnapshot) messages.clear()
    for (const each of message.messages) messages.set(each.number, each)
    for (const each of message.requests) requests.set(each.number, each)
  })
  await once(socket, 'open')
  const send = (message: object): void => socket.send(JSON.stringify(message))
  send({ type: 'inspect', isOn: true })
  return {
    received,
    messages: () => [...messages.values()],
    requests: () => [...requests.values()],
    send,
    [Symbol.dispose]: () => socket.terminate(),
  }
}

test('a viewer receives the console messages and the requests of a session, without using it', async () => {
  const session = await lab.createSession()
  await using handles = await playwright.connect(session)
  const { page } = handles
  await page.goto(site.url('/'))
  await page.evaluate(`console.log('before')`)
  const readActivity = async (): Promise<unknown> =>
    (await lab.api('GET', `/v2/browser/${session.id}`)).body['lastActivity']
  using inspector = await inspect(session.interactiveLiveViewUrl)

  await expect.poll(() => inspector.messages().map(({ text }) => text)).toEqual(['before'])
  const before = await readActivity()
  inspector.send({ type: 'inspect', isOn: true })
  expect(await readActivity()).toBe(before)
  const response = await page.goto(site.url('/redirect?to=/canvas'))
  expect(await response?.text()).toContain('requestAnimationFrame')
  await page.evaluate(`fetch('/missing'); setTimeout(() => { throw new Error('thrown') })`)
  await page.evaluate(`fetch('http://127.0.0.1:1/').catch(() => undefined)`)

  const find = (path: string) => inspector.requests().find(({ url }) => url === site.url(path))
  await expect.poll(() => inspector.requests().at(-1)?.error).toMatch(/^net::ERR_/)
  expect(find('/redirect?to=/canvas')).toMatchObject({ method: 'GET', kind: 'Document', status: 302, isDone: true })
  expect(find('/canvas')).toMatchObject({ status: 200, isDone: true, durationMs: expect.any(Number) as number })
  expect(find('/missing')).toMatchObject({ kind: 'Fetch', status: 404 })
  await expect
    .poll(() => inspector.messages().find(({ source }) => source === 'exception'))
    .toMatchObject({ level: 'error', text: expect.stringContaining('thrown') as string })
  await lab.api('DELETE', `/v2/browser/${session.id}`)
})

test('a view-only viewer receives neither', async () => {
  const session = await lab.createSession()
  using inspector = await inspect(session.liveViewUrl)

  await expect
    .poll(() => inspector.received.find(({ type }) => type === 'notice'))
    .toEqual({ type: 'notice', text: 'This link is view-only' })
  await lab.api('DELETE', `/v2/browser/${session.id}`)
  await expect.poll(() => inspector.received.some(({ type }) => type === 'ended')).toBe(true)
  expect(inspector.received.some(({ type }) => type === 'inspected')).toBe(false)
})

test('the newest 500 messages are kept, each up to 2000 characters, until no viewer inspects the session', async () => {
  const session = await lab.createSession()
  await using handles = await playwright.connect(session)
  using first = await inspect(session.interactiveLiveViewUrl)
  await expect.poll(() => first.received.some(({ type }) => type === 'inspected')).toBe(true)
  await handles.page.evaluate(`for (let at = 0; at < 1500; at += 1) console.log(at, 'x'.repeat(5000))`)
  await expect.poll(() => first.messages().at(-1)?.text.slice(0, 5)).toBe('1499 ')
  using second = await inspect(session.interactiveLiveViewUrl)

  await expect.poll(() => second.messages().length).toBe(500)
  expect(second.messages()[0]?.text).toMatch(/^1000 x+$/)
  expect(second.messages()[0]?.text.length).toBe(2000)
  for (const each of [first, second]) each.send({ type: 'inspect', isOn: false })
  await handles.page.evaluate(`console.log('later')`)
  second.send({ type: 'inspect', isOn: true })
  // Chromium keeps the last messages of a page, and reports them to who asks.
  await expect.poll(() => second.messages().at(-1)?.text).toBe('later')
  // It is attached to anew, so that the numbers start again.
  expect(second.messages().at(-1)?.number).toBeLessThan(1500)
  await lab.api('DELETE', `/v2/browser/${session.id}`)
})

test('requests that never end do not accumulate', () => {
  const changed: InspectedRequest[] = []
  const log = new RequestLog({ maxKept: 2, mask: (request) => request, onChange: (request) => changed.push(request) })
  const receive = (method: string, params: object): void =>
    log.receive({ cdpSessionId: 'a' } as never, { method, params } as never)
  for (const requestId of ['1', '2', '3']) {
    const request = { method: 'GET', url: `http://user:hush@a.test/${requestId}` }
    receive('Network.requestWillBeSent', { requestId, request, type: 'Fetch', timestamp: 1, wallTime: 10 })
  }
  receive('Network.loadingFinished', { requestId: '1', timestamp: 2, encodedDataLength: 7 })
  receive('Network.loadingFinished', { requestId: '3', timestamp: 2, encodedDataLength: 7 })

  expect(log.list().map(({ url, bytes }) => [url, bytes])).toEqual([
    ['http://a.test/2', undefined],
    ['http://a.test/3', 7],
  ])
  expect(changed.map(({ number }) => number)).toEqual([1, 2, 3, 3])
})

test('the document of a frame in another process ends in the session of the frame', () => {
  const log = new RequestLog({ maxKept: 2, mask: (request) => request, onChange: () => undefined })
  const receive = (cdpSessionId: string, method: string, params: object): void =>
    log.receive({ cdpSessionId } as never, { method, params } as never)
  const requestId = 'BB3F113F77F746E3AF4A9EB064860DAE'
  const request = { method: 'GET', url: 'http://a.test/frame' }

  receive('page', 'Network.requestWillBeSent', { requestId, request, type: 'Document', timestamp: 1, wallTime: 10 })
  receive('frame', 'Network.loadingFinished', { requestId, timestamp: 2, encodedDataLength: 7 })

  expect(log.list()).toMatchObject([{ isDone: true, bytes: 7 }])
})
