import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { CreateSessionResponse } from '../../../src/contract.ts'
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

function socketOf(url: string | undefined): string {
  return (url ?? '').replace('http', 'ws').replace('?', '/socket?')
}
function withToken(url: string | undefined, token: string): string {
  return (url ?? '').replace(/token=.*/, `token=${token}`)
}
function tokenOf(url: string | undefined): string {
  return new URL(url ?? '').searchParams.get('token') ?? ''
}

async function connect(url: string | undefined) {
  const socket = new WebSocket(socketOf(url))
  const messages: { readonly type: string; readonly [key: string]: unknown }[] = []
  socket.on('message', (data, isBinary) => {
    if (!isBinary) messages.push(JSON.parse((data as Buffer).toString()) as (typeof messages)[number])
  })
  await once(socket, 'open')
  const closed = once(socket, 'close').then(([code]) => code as number)
  return {
    messages,
    closed,
    send: (message: object) => socket.send(JSON.stringify(message)),
    until: async (type: string) =>
      expect.poll(() => messages.find((message) => message.type === type), { timeout: 5000 }).toBeDefined(),
    [Symbol.asyncDispose]: async () => {
      socket.terminate()
      await closed
    },
  }
}

describe('the live view', () => {
  test('opens with its token only, can be embedded, and loads no external resources', async () => {
    const response = await fetch(session.liveViewUrl ?? '')

    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('content-security-policy')).toContain('frame-ancestors *')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-frame-options')).toBeNull()
    const html = await response.text()
    expect(html).not.toContain(lab.server.apiKey)
    expect(html).not.toContain(tokenOf(session.liveViewUrl))
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=/)
  })

  test.each([
    ['no token', 404, (): string => ''],
    ['an invalid token', 404, (): string => 'x'],
    ['an invalid token before the valid one', 404, (): string => `x&token=${tokenOf(session.liveViewUrl)}`],
    ['a CDP token', 403, (): string => tokenOf(session.cdpUrl)],
  ] as const)('refuses page and WebSocket with %s', async (_name, status, tokenFor) => {
    const url = withToken(session.liveViewUrl, tokenFor())

    expect((await fetch(url)).status).toBe(status)
    const code = status === 403 ? 'FORBIDDEN' : 'SESSION_NOT_FOUND'
    expect(await refusedUpgrade(socketOf(url))).toMatchObject({ status, body: { code } })
  })

  test.each(['01a1fd15-0c10-7879-aa7c-0b034b2f48df', 'nonsense'])(
    'returns 404 for the unknown session %s',
    async (id) => {
      const url = `${lab.server.url}/live/${id}?token=x`

      expect((await fetch(url)).status).toBe(404)
      expect((await refusedUpgrade(socketOf(url))).status).toBe(404)
    },
  )

  test('is unavailable without `streamWebView`', async () => {
    const session = await lab.createSession({ streamWebView: false })

    const url = `${lab.server.url}/live/${session.id}?token=${tokenOf(session.cdpUrl)}`
    const { body } = await lab.api('GET', `/v2/browser/${session.id}`)

    expect(session).toMatchObject({ liveViewUrl: '', interactiveLiveViewUrl: '' })
    expect(body).toMatchObject({ liveViewUrl: '', interactiveLiveViewUrl: '' })
    expect((await fetch(url)).status).toBe(404)
    expect((await refusedUpgrade(socketOf(url))).status).toBe(404)
  })

  test('refuses the token of another session, and shows the reason once the session has ended', async () => {
    const other = await lab.createSession()
    const url = withToken(session.interactiveLiveViewUrl, tokenOf(other.interactiveLiveViewUrl))

    expect((await fetch(url)).status).toBe(404)
    expect((await refusedUpgrade(socketOf(url))).status).toBe(404)
    await lab.api('DELETE', `/v2/browser/${other.id}`)
    const response: Response = await fetch(other.liveViewUrl ?? '', { headers: { accept: 'text/html' } })

    expect(response.status).toBe(410)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain('&quot;reason&quot;:&quot;deleted&quot;')
    expect((await refusedUpgrade(socketOf(other.liveViewUrl))).status).toBe(410)
  })

  test('returns errors as JSON, or as a page to browsers', async () => {
    const url = withToken(session.liveViewUrl, 'x')

    const program = await fetch(url, { headers: { accept: 'application/json' } })
    const person = await fetch(url, { headers: { accept: 'text/html' } })

    expect(await program.json()).toMatchObject({ success: false, code: 'SESSION_NOT_FOUND' })
    expect(await person.text()).toContain('Browser session not found.')
  })
})

describe('a viewer', () => {
  test.each([
    { type: 'text', text: 'x' },
    { type: 'key', action: 'down', key: 'a', code: 'KeyA', keyCode: 65, location: 0, modifiers: 0, isRepeat: false },
    { type: 'mouse', action: 'down', x: 5, y: 5, button: 'left', buttons: 1, clicks: 1, modifiers: 0 },
    { type: 'navigate', url: 'data:text/html,<title>gone</title>' },
    { type: 'open-tab' },
  ])('without interactive access is refused when it sends $type', async (message) => {
    await using client = await connectCdp(session.cdpUrl)
    const page = await client.attachToPage()
    await client.call('Page.enable', {}, page)
    const html = `<input autofocus><script>addEventListener('mousedown', () => { document.title = 'pressed' })</script>`
    await client.call('Page.navigate', { url: `data:text/html,${encodeURIComponent(html)}` }, page)
    await using viewer = await connect(session.liveViewUrl)
    await viewer.until('tabs')

    viewer.send(message)
    await viewer.until('notice')

    const targets = await client.call('Target.getTargets')
    const state = await client.call(
      'Runtime.evaluate',
      { expression: 'document.title + document.querySelector("input").value' },
      page,
    )
    const metrics = await lab.api('GET', '/metrics')
    expect(String(metrics.body['text'])).toMatch(/bowline_live_input_refused_total [1-9]/)
    expect(targets.result?.['targetInfos']).toHaveLength(1)
    expect(state.result?.['result'].value).toBe('')
  })

  test('without interactive access is disconnected after many refused messages', async () => {
    await using viewer = await connect(session.liveViewUrl)

    for (let count = 0; count < 1000; count += 1) viewer.send({ type: 'reload' })

    expect(await viewer.closed).toBe(1008)
  })

  test('that sends a malformed message receives a notice and stays connected', async () => {
    await using viewer = await connect(session.interactiveLiveViewUrl)
    await viewer.until('tabs')

    viewer.send({ type: 'mouse', x: 'left' })
    await viewer.until('notice')
    viewer.send({ type: 'navigate', url: 'data:text/html,<title>still here</title>' })

    await expect.poll(() => JSON.stringify(viewer.messages)).toContain('still here')
  })
})

test('input from a viewer counts as activity of the session, and its connection does not', async () => {
  const session = await lab.createSession({ activityTtl: 10 })
  const activity = async (): Promise<string> => {
    const { body } = await lab.api('GET', '/v2/browser')
    return body['sessions'].find(({ id }: { id: string }) => id === session.id)?.lastActivity as string
  }
  const before = await activity()
  await using acting = await connect(session.interactiveLiveViewUrl)
  await acting.until('tabs')
  const connected = await activity()

  acting.send({ type: 'text', text: 'x' })

  await expect.poll(async () => (await activity()) > before).toBe(true)
  const beat = setInterval(() => acting.send({ type: 'viewport', isVisible: true, width: 800, height: 600 }), 1000)
  const code = await acting.closed.finally(() => clearInterval(beat))

  expect(connected).toBe(before)
  expect(code).toBe(4000)
  expect(acting.messages.findLast(({ type }) => type === 'ended')).toMatchObject({ reason: 'idle', creditsBilled: 2 })
})

test('a malformed live view URL returns 400', async () => {
  const { status, body } = await lab.api('GET', '/live/%FF')

  expect([status, body['success'], body['code']]).toEqual([400, false, 'BAD_REQUEST'])
})
