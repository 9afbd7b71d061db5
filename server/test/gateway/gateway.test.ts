import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp, refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
/** For tests that do not end it. */
let session: CreateSessionResponse
beforeAll(async () => {
  lab = await startLab()
  session = await lab.createSession()
})
afterAll(async () => lab[Symbol.asyncDispose]())

/** A connection that has requested a WebSocket and keeps its end open. */
async function askUpgrade(path: string): Promise<Socket> {
  const { hostname, port } = new URL(lab.server.url)
  const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  await once(client, 'connect')
  const headers = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  client.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return client
}

describe('a CDP connection', () => {
  test('without a token is refused', async () => {
    const refusal = await refusedUpgrade(session.cdpUrl.replace(/\?.*/, ''))

    expect(refusal).toMatchObject({ status: 404, body: { success: false, code: 'SESSION_NOT_FOUND' } })
  })

  test('with a token of the live view is refused', async () => {
    for (const [kind, url] of [
      ['view', session.liveViewUrl],
      ['interact', session.interactiveLiveViewUrl],
    ] as const) {
      const token = new URL(url ?? '').searchParams.get('token') ?? ''
      const refusal = await refusedUpgrade(session.cdpUrl.replace(/token=.*/, `token=${token}`))

      expect(refusal).toMatchObject({ status: 403, body: { error: `A ${kind} token does not grant CDP access` } })
    }
  })

  test.each([
    ['immediately', false],
    ['after the response', true],
  ] as const)('that is refused and reset by the client %s causes no uncaught exception', async (_name, isAnswered) => {
    const uncaught: unknown[] = []
    const onUncaught = (error: unknown): void => void uncaught.push(error)
    process.on('uncaughtException', onUncaught)
    const client = await askUpgrade('/nowhere')

    if (isAnswered) await once(client, 'data')
    else await nextTurn()
    client.resetAndDestroy()

    await once(client, 'close')
    expect(await lab.api('GET', '/livez')).toMatchObject({ status: 200 })
    process.off('uncaughtException', onUncaught)
    expect(uncaught).toEqual([])
  })

  test('that is refused is destroyed if the client keeps its end open', async () => {
    const client = await askUpgrade('/nowhere')
    client.on('error', () => undefined)

    await once(client.resume(), 'end')

    const isCutOff = (): boolean => client.destroyed || !client.write('still here')
    await expect.poll(isCutOff, { timeout: 5000 }).toBe(true)
  })

  test('with the token of another session is refused, and to an ended one with the reason of its end', async () => {
    const other = await lab.createSession()

    const refusal = await refusedUpgrade(
      session.cdpUrl.replace(/token=.*/, `token=${new URL(other.cdpUrl).searchParams.get('token')}`),
    )

    expect(refusal.status).toBe(404)
    await lab.api('DELETE', `/v2/browser/${other.id}`)
    const ended = await refusedUpgrade(other.cdpUrl)
    expect(ended).toMatchObject({ status: 410, body: { code: 'SESSION_ENDED' } })
    expect(String(ended.body['error'])).toContain('deleted')
  })

  test.each(['01a1fd15-0c10-7879-aa7c-0b034b2f48df', 'nonsense'])(
    'to the unknown session %s is refused',
    async (id) => {
      const base = lab.server.url.replace('http', 'ws')

      expect(await refusedUpgrade(`${base}/v2/browser/${id}/cdp?token=x`)).toMatchObject({ status: 404 })
    },
  )

  test('to any other path is refused', async () => {
    const base = lab.server.url.replace('http', 'ws')

    expect(await refusedUpgrade(`${base}/devtools/browser`)).toMatchObject({
      status: 404,
      body: { code: 'ROUTE_NOT_FOUND' },
    })
  })
})

describe('a CDP command', () => {
  test('to the browser or a page returns its result without the internal session id', async () => {
    await using cdp = await connectCdp(session.cdpUrl)

    const version = await cdp.call('Browser.getVersion')
    const page = await cdp.attachToPage()
    const sum = await cdp.call('Runtime.evaluate', { expression: '6 * 7' }, page)

    expect(version.sessionId).toBeUndefined()
    expect(version.result?.['product']).toContain('Chrome')
    expect(sum).toMatchObject({ sessionId: page, result: { result: { value: 42 } } })
  })

  test('that is not JSON returns an error, and the connection stays open', async () => {
    await using cdp = await connectCdp(session.cdpUrl)

    cdp.socket.send('not JSON')
    const version = await cdp.call('Browser.getVersion')

    expect(version.result).toBeDefined()
    expect(cdp.events).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: -32_700 }) }))
  })

  test.each([
    ['Page.navigate', { url: `file:///${'x'.repeat(2_000_000)}` }],
    [`Tethering.${'x'.repeat(2_000_000)}`, {}],
  ])('that is refused does not get its long value back: %.20s', async (method, params) => {
    await using cdp = await connectCdp(session.cdpUrl)

    const { error } = await cdp.call(method, params)

    expect(error?.message).toMatch(/^.{1000}…$/)
  })

  test('that would block the server returns an error with its id, and the connection stays open', async () => {
    await using cdp = await connectCdp(session.cdpUrl)

    const refused = await cdp.call('Runtime.evaluate', {
      nested: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`),
      text: 'x'.repeat(1_000_000),
    })
    const version = await cdp.call('Browser.getVersion')

    expect(refused.error).toMatchObject({ code: -32_700, message: expect.stringContaining('too deeply nested') })
    expect(version.result).toBeDefined()
  })

  test.each([2_000_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER, -(2 ** 31) - 1])(
    'with the id %d, which Chromium does not support, returns an error with that id',
    async (id) => {
      await using cdp = await connectCdp(session.cdpUrl)
      const answered = once(cdp.socket, 'message')

      cdp.socket.send(JSON.stringify({ id, method: 'Browser.getVersion' }))

      const [answer] = (await answered) as [Buffer]
      expect(JSON.parse(answer.toString())).toMatchObject({ id, error: { code: -32_600 } })
    },
  )

  test.each([
    [{ params: null }, undefined],
    [{ sessionId: '' }, undefined],
    [{ params: 'x' }, -32_600],
    [{ sessionId: null }, -32_600],
    [{ method: 5 }, -32_600],
    [{ method: undefined }, -32_600],
  ])('with %o is answered with its id, as by Chromium', async (change, code) => {
    await using cdp = await connectCdp(session.cdpUrl)
    const answered = once(cdp.socket, 'message')

    cdp.socket.send(JSON.stringify({ id: 8, method: 'Browser.getVersion', ...change }))

    const [answer] = (await answered) as [Buffer]
    const expected = code === undefined ? { result: { product: expect.any(String) } } : { error: { code } }
    expect(JSON.parse(answer.toString())).toMatchObject({ id: 8, ...expected })
  })

  test('that Chromium would not read is refused, and the session stays as it is', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    await using other = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()
    const evaluate = async (bytes: number) =>
      cdp.call('Runtime.evaluate', { expression: `"${'y'.repeat(bytes)}".length` }, page)

    const refused = await evaluate(100 * 2 ** 20)
    const passed = await evaluate(1000)

    expect(refused).toMatchObject({
      sessionId: page,
      error: { code: -32_000, message: 'The browser reads commands of at most 100 MiB: send less at once' },
    })
    expect(passed.result?.['result'].value).toBe(1000)
    expect((await other.call('Browser.getVersion')).result).toBeDefined()
  })

  test('that is nested too deeply to serialize returns an error, and the connection stays open', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const answers: unknown[] = []
    cdp.socket.on('message', (data) => answers.push(JSON.parse((data as Buffer).toString())))

    cdp.socket.send(`{"id":900,"method":"Browser.getVersion","params":{"x":${'['.repeat(2e4)}${']'.repeat(2e4)}}}`)
    await cdp.call('Browser.getVersion')

    expect(answers[0]).toMatchObject({
      id: 900,
      error: { code: -32_000, message: expect.stringContaining('call stack') },
    })
  })

  test('refused by the policy returns an error with the reason', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    const answer = await cdp.call('Page.navigate', { url: 'file:///etc/passwd' }, page)

    expect(answer).toMatchObject({ sessionId: page, error: { code: -32_000 } })
    expect(answer.error?.message).toContain('file:///etc/passwd')
  })

  test('to a CDP session of another client is refused', async () => {
    await using one = await connectCdp(session.cdpUrl)
    await using other = await connectCdp(session.cdpUrl)
    const pageOfOne = await one.attachToPage()

    const answer = await other.call('Runtime.evaluate', { expression: '1' }, pageOfOne)

    expect(answer.error).toEqual({ code: -32_001, message: 'Session with given id not found.' })
  })
})

describe('the gateway', () => {
  test('passes results of 20 MB', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    const { result } = await cdp.call('Runtime.evaluate', { expression: '"0123456789".repeat(2e6)' }, page)

    expect(result?.['result'].value).toHaveLength(20_000_000)
  })

  test('keeps the order of a thousand concurrent calls', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => cdp.call('Runtime.evaluate', { expression: `${index}` }, page)),
    )

    expect(answers.map((answer) => answer.result?.['result'].value)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index),
    )
  })

  test('keeps the order of a thousand events', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()
    await cdp.call('Runtime.enable', {}, page)

    await cdp.call('Runtime.evaluate', { expression: 'for (let i = 0; i < 1000; i++) console.log(i)' }, page)

    const logged = cdp.events.filter((event) => event.method === 'Runtime.consoleAPICalled')
    expect(logged.map((event) => event.params?.['args'][0].value)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index),
    )
  })

  test('waits for a client that does not read, without losing messages', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()
    const expression = (index: number): string => `String(${index}) + "x".repeat(4e6)`

    cdp.socket.pause()
    const answers = Array.from({ length: 8 }, async (_, index) =>
      cdp.call('Runtime.evaluate', { expression: expression(index) }, page),
    )
    await expect.poll(() => cdp.socket.isPaused).toBe(true)
    cdp.socket.resume()

    const values = (await Promise.all(answers)).map((answer) => String(answer.result?.['result'].value))
    expect(values.map((value) => Number.parseInt(value, 10))).toEqual(Array.from({ length: 8 }, (_, index) => index))
    expect(values.every((value) => value.length > 4e6)).toBe(true)
  })

  test('passes commands of 5 MB', async () => {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()

    const { result } = await cdp.call('Runtime.evaluate', { expression: `"${'y'.repeat(5e6)}".length` }, page)

    expect(result?.['result'].value).toBe(5e6)
  })
})

describe('a connected client', () => {
  test('that calls Browser.close is disconnected, and the session keeps its pages', async () => {
    await using first = await connectCdp(session.cdpUrl)
    await first.call('Target.createTarget', { url: 'data:text/html,<title>kept</title>' })

    await first.call('Browser.close')

    expect(await first.closed).toEqual({ code: 1000, reason: 'closed' })
    await using second = await connectCdp(session.cdpUrl)
    const titles = async (): Promise<string[]> =>
      (await second.call('Target.getTargets')).result?.['targetInfos'].map((target: { title: string }) => target.title)
    await expect.poll(titles).toContain('kept')
  })

  test("that calls Browser.close ends a session with `onBrowserClose: 'delete'`", async () => {
    const session = await lab.createSession({ onBrowserClose: 'delete' })
    await using cdp = await connectCdp(session.cdpUrl)

    await cdp.call('Browser.close')

    expect(await cdp.closed).toEqual({ code: 4000, reason: 'deleted' })
    // Clients are disconnected before the session is billed.
    const read = async () => (await lab.api('GET', `/v2/browser/${session.id}`)).body
    await expect.poll(read).toMatchObject({ status: 'destroyed', endReason: 'deleted', creditsBilled: 2 })
  })

  test('is disconnected with code 4000 and the reason when the session is deleted', async () => {
    await using cdp = await connectCdp(session.cdpUrl)

    await lab.api('DELETE', `/v2/browser/${session.id}`)

    expect(await cdp.closed).toEqual({ code: 4000, reason: 'deleted' })
  })

  test('is disconnected with code 4003 when the browser crashes, and the session is billed and frees its slot', async () => {
    await expect.poll(() => browserPids(lab.dataDir)).toEqual([])
    const session = await lab.createSession()
    await using cdp = await connectCdp(session.cdpUrl)
    const [pid] = browserPids(lab.dataDir)

    process.kill(pid!, 'SIGKILL')

    const killedAt = performance.now()
    // The client keeps sending after the browser is gone.
    const sending = setInterval(() => {
      for (let count = 0; count < 20; count += 1) void cdp.call('Browser.getVersion')
    }, 0)
    expect(await cdp.closed).toEqual({ code: 4003, reason: 'crashed' })
    clearInterval(sending)
    // Does not wait 2 s for a close frame that is never read.
    expect(performance.now() - killedAt).toBeLessThan(1900)
    await expect
      .poll(async () => (await lab.api('GET', `/v2/browser/${session.id}`)).body)
      .toMatchObject({
        status: 'destroyed',
        endReason: 'crashed',
        creditsBilled: 2,
      })
    const { body } = await lab.api('GET', '/readyz')
    expect(body['sessions']).toMatchObject({ live: 0 })
  })
})
