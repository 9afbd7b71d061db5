import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
let cdpUrl: string
beforeAll(async () => {
  lab = await startLab({ resumeSeconds: 2 })
  cdpUrl = (await lab.createSession()).cdpUrl
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
})

interface Incoming {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
}

/** A client that follows the documented protocol by hand. */
interface ByHand {
  readonly webSocket: WebSocket
  readonly headers: Readonly<Record<string, unknown>>
  readonly messages: readonly Incoming[]
  readonly send: (id: number, method: string, params?: object) => void
  readonly until: (matches: (message: Incoming) => boolean) => Promise<Incoming>
  readonly closed: Promise<{ code: number; reason: string }>
  /** Resolves when the server has received everything that was sent. */
  readonly received: () => Promise<void>
  /** Ends the connection without a close frame. */
  readonly drop: () => Promise<void>
}

let lastKey = 0
function newKey(): string {
  lastKey += 1
  return `test-connection-${lastKey}`
}

async function open(key: string, received?: number, of = cdpUrl): Promise<ByHand> {
  const url = `${of}&resume=${key}${received === undefined ? '' : `&received=${received}`}`
  // It acknowledges nothing, so that the server keeps all messages.
  const webSocket = new WebSocket(url, { perMessageDeflate: false, autoPong: false })
  const messages: Incoming[] = []
  let headers = {}
  const arrivals = new EventTarget()
  webSocket.on('upgrade', (response) => {
    headers = response.headers
  })
  webSocket.on('message', (data) => {
    messages.push(JSON.parse((data as Buffer).toString()) as Incoming)
    arrivals.dispatchEvent(new Event('message'))
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await once(webSocket, 'open')
  return {
    webSocket,
    headers,
    messages,
    closed,
    send: (id, method, params = {}) => webSocket.send(JSON.stringify({ id, method, params })),
    until: async (matches) => {
      for (;;) {
        const found = messages.find(matches)
        if (found !== undefined) return found
        await once(arrivals, 'message')
      }
    },
    received: async () => {
      const answered = once(webSocket, 'pong')
      webSocket.ping()
      await answered
    },
    drop: async () => {
      webSocket.terminate()
      await closed
    },
  }
}

const isAnswer = (id: number) => (message: Incoming) => message.id === id

test('the handshake says for how long a connection can be resumed', async () => {
  const client = await open(newKey())

  expect(client.headers).toMatchObject({ 'bowline-resume-seconds': '2' })
  client.webSocket.close()
})

test('a resumed connection begins with the count of received messages, then those that were missed', async () => {
  const key = newKey()
  const first = await open(key)
  first.send(1, 'Browser.getVersion')
  first.send(2, 'Target.setDiscoverTargets', { discover: true })
  await first.until(isAnswer(2))
  const [seen, ...missed] = first.messages
  await first.drop()

  const second = await open(key, 1)
  await second.until(isAnswer(2))

  expect(seen).toMatchObject({ id: 1 })
  expect(second.messages).toEqual([{ method: 'Bowline.resumed', params: { received: 2 } }, ...missed])
  second.send(3, 'Target.createTarget', { url: 'about:blank' })
  await second.until(({ method }) => method === 'Target.targetCreated')
  second.webSocket.close()
})

test('a hand-off outlives a lost connection, with the input that waits and the event of its end', async () => {
  const key = newKey()
  const first = await open(key)
  first.send(1, 'Target.createTarget', { url: 'about:blank' })
  const { targetId } = (await first.until(isAnswer(1))).result ?? {}
  first.send(2, 'Target.attachToTarget', { targetId, flatten: true })
  const { sessionId } = (await first.until(isAnswer(2))).result ?? {}
  first.send(3, 'Cloudflare.handoff', { targetId })
  await first.until(isAnswer(3))
  const params = { text: 'x' }
  first.webSocket.send(JSON.stringify({ id: 4, method: 'Input.insertText', params, sessionId }))
  await first.received()
  await first.drop()
  const other = await open(newKey())
  other.send(1, 'Cloudflare.handoffComplete', { targetId })
  await other.until(isAnswer(1))

  const second = await open(key, first.messages.length)

  await second.until(isAnswer(4))
  expect(second.messages).toMatchObject([
    { method: 'Bowline.resumed' },
    { method: 'Cloudflare.handoffComplete', params: { targetId, success: true }, sessionId },
    { method: 'Cloudflare.handoffComplete', params: { targetId, success: true } },
    { id: 4, result: {} },
  ])
  other.webSocket.close()
  second.webSocket.close()
})

test('a command is answered once if the connection is lost before its answer', async () => {
  const key = newKey()
  const first = await open(key)
  const params = { expression: 'new Promise((done) => setTimeout(done, 300, "late"))', awaitPromise: true }
  first.send(1, 'Target.createTarget', { url: 'about:blank' })
  const { targetId } = (await first.until(isAnswer(1))).result ?? {}
  first.send(2, 'Target.attachToTarget', { targetId, flatten: true })
  const { sessionId } = (await first.until(isAnswer(2))).result ?? {}
  first.webSocket.send(JSON.stringify({ id: 3, method: 'Runtime.evaluate', params, sessionId }))
  await first.received()
  await first.drop()

  const second = await open(key, first.messages.length)
  const answer = await second.until(isAnswer(3))
  second.send(4, 'Browser.getVersion')
  await second.until(isAnswer(4))

  expect(answer.result).toMatchObject({ result: { value: 'late' } })
  expect(second.messages.map(({ id, method }) => id ?? method)).toEqual(['Bowline.resumed', 3, 4])
  second.webSocket.close()
})

test('a client that reconnects before the server knows of the loss takes its connection over', async () => {
  const key = newKey()
  const first = await open(key)
  first.send(1, 'Browser.getVersion')
  await first.until(isAnswer(1))

  const second = await open(key, 1)
  second.send(2, 'Browser.getVersion')
  await second.until(isAnswer(2))

  expect(await first.closed).toMatchObject({ code: 1006 })
  expect(second.messages[0]).toEqual({ method: 'Bowline.resumed', params: { received: 1 } })
  second.webSocket.close()
})

test('nothing is lost if the browser sends more than is buffered before the client is back', async () => {
  const key = newKey()
  const first = await open(key)
  first.send(1, 'Target.createTarget', { url: 'about:blank' })
  const { targetId } = (await first.until(isAnswer(1))).result ?? {}
  first.send(2, 'Target.attachToTarget', { targetId, flatten: true })
  const { sessionId } = (await first.until(isAnswer(2))).result ?? {}
  const count = 40
  const expression = `for (let index = 0; index < ${count}; index += 1) console.log(index, 'x'.repeat(500_000))`
  for (const [id, method, params] of [
    [3, 'Runtime.enable', {}],
    [4, 'Runtime.evaluate', { expression }],
  ])
    first.webSocket.send(JSON.stringify({ id, method, params, sessionId }))
  await first.received()
  await first.drop()

  const second = await open(key, first.messages.length)
  await second.until(isAnswer(4))

  const logged = [...first.messages, ...second.messages].filter(({ method }) => method === 'Runtime.consoleAPICalled')
  const order = logged.map(({ params }) => (params as { args: [{ value: number }] }).args[0].value)
  expect(order).toEqual(Array.from({ length: count }, (_, index) => index))
  second.webSocket.close()
})

const notResumable = { code: 4010, reason: 'not-resumable' }

test.each<[name: string, lose: (client: ByHand) => Promise<unknown>, received: number]>([
  [
    'after its time',
    async (client) => {
      await client.drop()
      await sleep(2500)
    },
    1,
  ],
  [
    'after a close frame',
    async (client) => {
      client.webSocket.close()
      return client.closed
    },
    1,
  ],
  ['with a count of messages that were never sent', async (client) => client.drop(), 1000],
])('a connection cannot be resumed %s', async (_name, lose, received) => {
  const key = newKey()
  const first = await open(key)
  first.send(1, 'Browser.getVersion')
  await first.until(isAnswer(1))
  await lose(first)

  expect(await (await open(key, received)).closed).toEqual(notResumable)
})

test('a connection that the server does not know cannot be resumed', async () => {
  expect(await (await open(newKey(), 0)).closed).toEqual(notResumable)
})

test('a client that opens a connection with the same key again replaces the former one', async () => {
  const key = newKey()
  const first = await open(key)

  const second = await open(key)

  expect(await first.closed).toEqual({ code: 4011, reason: 'replaced' })
  second.send(1, 'Browser.getVersion')
  await second.until(isAnswer(1))
  second.webSocket.close()
})

test('the end of a session ends its lost connections, and the reason is in the error', async () => {
  const session = await lab.createSession()
  const key = newKey()
  await (await open(key, undefined, session.cdpUrl)).drop()

  await lab.api('DELETE', `/v2/browser/${session.id}`)

  expect(await refusedUpgrade(`${session.cdpUrl}&resume=${key}&received=0`)).toMatchObject({
    status: 410,
    body: { error: expect.stringContaining('deleted') as string },
  })
})

test('clients that give up while they resume do not stay connected for the server', async () => {
  const session = await lab.createSession()
  const { pathname, search, host, hostname, port } = new URL(session.cdpUrl)
  const giveUp = async (): Promise<void> => {
    const key = newKey()
    await (await open(key, undefined, session.cdpUrl)).drop()
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const lines = [
      `GET ${pathname}${search}&resume=${key}&received=0 HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
      'Sec-WebSocket-Version: 13',
    ]
    await new Promise((resolve) => socket.write(`${lines.join('\r\n')}\r\n\r\n`, resolve))
    // The server reads the session from its database before it completes the handshake.
    socket.resetAndDestroy()
  }
  await Promise.all(Array.from({ length: 20 }, giveUp))

  await lab.api('DELETE', `/v2/browser/${session.id}`)

  const clients = async (): Promise<string> => String((await lab.api('GET', '/metrics')).body['text'])
  await expect.poll(clients, { timeout: 5000 }).toMatch(/^bowline_cdp_clients 0$/m)
})

test.each([
  ['resume=short', '`resume` must be 16 to 64 characters'],
  ['resume=a-key-with-a-slash-/', '`resume` must be 16 to 64 characters'],
  ['resume=a-key-of-the-test-1&received=-1', '`received` must be the number of messages'],
  ['received=1', '`received` needs `resume`'],
])('the query %s is refused', async (query, message) => {
  const { status, body } = await refusedUpgrade(`${cdpUrl}&${query}`)

  expect([status, body['error']]).toEqual([400, expect.stringContaining(message)])
})

test('connections of a server without resumption end with their WebSocket', async () => {
  await using other = await startLab({ resumeSeconds: 0 })
  const { cdpUrl } = await other.createSession()
  const key = newKey()
  const first = await open(key, undefined, cdpUrl)
  await first.drop()

  expect(first.headers).toMatchObject({ 'bowline-resume-seconds': '0' })
  expect(await (await open(key, 0, cdpUrl)).closed).toEqual(notResumable)
})
