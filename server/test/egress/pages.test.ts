import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { sendScript } from '../../../test/lab/pages/page.ts'
import { attempts, q, reachWorker } from './attempts.ts'
import { selfSigned } from './certificate.ts'
import { lanePorts, openPage, type OpenPage } from './open-page.ts'
import { startRawServer, type RawServer } from './raw-client.ts'

const spellings = [
  'http://127.0.0.1',
  'http://127.1',
  'http://2130706433',
  'http://0177.0.0.1',
  'http://0x7f.0.0.1',
  'http://0x7f000001',
  'http://127.0.0.2',
  'http://0.0.0.0',
  'http://0',
  'http://localhost',
  'http://localhost.',
  'http://x.localhost',
  'http://[::1]',
  'http://[::]',
  'http://[::127.0.0.1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://inside.example',
  'http://mapped.example',
  'http://①②⑦.0.0.1',
]

/** Addresses of machines that a page may not ask. */
const neighbours = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://10.0.0.1/',
]

function answerSecret(socket: Socket): void {
  socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsecret')
}

async function bodyText(page: Page): Promise<string> {
  return page.innerText('body')
}

describe.each(['shell', 'chromium'] as const)('a page in %s', (kind) => {
  let undo: AsyncDisposableStack
  let site: Site
  let victim: RawServer
  let neighbour: RawServer
  let open: OpenPage
  let page: Page
  let answered: Page | undefined
  const rebound = ['127.0.0.8']
  const askedForRebound: string[] = []

  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite({ '/reach.js': (exchange) => sendScript(exchange, reachWorker) }))
    victim = undo.use(await startRawServer(answerSecret))
    neighbour = undo.use(await startRawServer(answerSecret))
    open = undo.use(
      await openPage(
        {
          browser: kind,
          warm: kind === 'shell' ? 1 : 0,
          allow: [`127.0.0.1:${site.port}`, `127.0.0.1:${neighbour.port}`, '127.0.0.8/31'],
        },
        async (name) => {
          if (name === 'inside.example') return ['127.0.0.1']
          if (name === 'mapped.example') return ['::ffff:127.0.0.1', '64:ff9b::7f00:1']
          if (name !== 'rebind.example') throw new Error(`no such name: ${name}`)
          const address = rebound.shift() ?? '127.0.0.1'
          askedForRebound.push(address)
          return [address]
        },
      ),
    )
  })

  afterAll(async () => undo.disposeAsync())

  // Each navigation has a new page, since the late error page of a failed navigation would
  // interrupt the next one. Only pages without an error are reused.
  beforeEach(async () => {
    page = answered ?? (await open.browser.contexts()[0]!.newPage())
    answered = undefined
    if (page.url() !== site.url('/')) await page.goto(site.url('/'))
  })

  afterEach(async () => {
    if (answered === undefined) await page.close()
  })

  const refused = 'net::ERR_BLOCKED_BY_ADMINISTRATOR'

  test.each(Object.entries(attempts))(
    'reaches an allowed address, and no blocked one, with %s',
    async (_name, attempt) => {
      const before = neighbour.connections()

      await page.evaluate(attempt(`http://127.0.0.1:${victim.port}/secret`))
      await page.evaluate(attempt(`http://inside.example:${victim.port}/secret`))
      await page.evaluate(attempt(`http://127.0.0.1:${neighbour.port}/secret`))

      expect(victim.connections()).toBe(0)
      expect(neighbour.connections()).toBeGreaterThan(before)
      answered = page
    },
  )

  test('cannot send UDP', async () => {
    const udp = createSocket('udp4')
    let packets = 0
    udp.on('message', () => (packets += 1)).bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const { port } = udp.address()

    const candidates = await page.evaluate(`new Promise((done) => {
      const urls = ['stun:127.0.0.1:${port}', 'stun:localhost:${port}']
      const turn = { urls: 'turn:127.0.0.1:${port}', username: 'u', credential: 'p' }
      const peer = new RTCPeerConnection({ iceServers: [{ urls }, turn] })
      const found = []
      peer.onicecandidate = ({ candidate }) => { if (candidate?.candidate) found.push(candidate.candidate) }
      peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done(found) }
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
    })`)
    await page.evaluate(`(async () => {
      if (!('WebTransport' in globalThis)) return
      await new WebTransport('https://127.0.0.1:${port}/').ready.catch(() => {})
    })()`)
    udp.close()

    expect(candidates).toEqual([])
    expect(packets).toBe(0)
    answered = page
  })

  test('reaches allowed addresses', async () => {
    await page.goto(site.url('/network'))

    await page.locator('#socket').filter({ hasText: 'hello' }).waitFor()
    expect(await page.innerText('#fetch')).toBe('fetched')
    expect(await page.innerText('#xhr')).toBe('requested')
    answered = page
  })

  test('gets an error that names the blocked address', async () => {
    await expect(page.goto(`http://user:pass@127.0.0.1:${victim.port}/secret?token=1`)).rejects.toThrow(refused)

    expect(victim.connections()).toBe(0)
  })

  // Both browsers read addresses by the same code, and the proxy judges the result.
  if (kind === 'chromium') return

  test('can request no spelling of a blocked address', async () => {
    const urls = [...spellings.map((origin) => `${origin}:${victim.port}/secret?token=1`), ...neighbours]
    const failures: (string | undefined)[] = []
    page.on('requestfailed', (request) => failures.push(request.failure()?.errorText))

    await page.evaluate(
      `Promise.all(${JSON.stringify(urls)}.map((url) => fetch(url, { mode: 'no-cors' }).catch(() => {})))`,
    )

    await expect.poll(() => failures).toEqual(urls.map(() => refused))
    expect(victim.connections()).toBe(0)
    answered = page
  })

  test('cannot open a blocked address over https', async () => {
    await expect(page.goto(`https://127.0.0.1:${victim.port}/`)).rejects.toThrow(refused)

    expect(victim.connections()).toBe(0)
  })

  test('cannot follow a redirect to a blocked address', async () => {
    const to = encodeURIComponent(`http://127.0.0.1:${victim.port}/secret`)

    await expect(page.goto(site.url(`/redirect?to=${to}`))).rejects.toThrow(refused)

    expect(victim.connections()).toBe(0)
  })

  test('cannot load a blocked frame', async () => {
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(`document.body.innerHTML = '<iframe src="http://127.0.0.1:${victim.port}/"></iframe>'`)

    expect((await failed).failure()?.errorText).toBe(refused)
    expect(victim.connections()).toBe(0)
  })

  test('cannot open the API or any proxy endpoint', async () => {
    const ports = [Number(new URL(open.server.url).port), ...lanePorts()]
    // One proxy endpoint belongs to the page, another to the warm browser.
    expect(ports.length).toBeGreaterThanOrEqual(3)

    for (const port of ports) {
      const status = await page.evaluate(`fetch('http://127.0.0.1:${port}/livez', { mode: 'no-cors' }).then(
        (response) => response.status, () => 'failed')`)
      expect(status).toBe('failed')
    }
    answered = page
  })

  test('cannot open a file', async () => {
    expect(await page.evaluate(`fetch('file:///etc/passwd').then(() => 'read', () => 'refused')`)).toBe('refused')
    await expect(page.goto('file:///etc/passwd')).rejects.toThrow('not allowed')
    await expect(page.goto(site.url('/redirect?to=file:///etc/passwd'))).rejects.toThrow('ERR_UNSAFE_REDIRECT')
  })

  test.each(['http:', 'https:'])('gets an error for a name that does not resolve, by %s', async (protocol) => {
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(`fetch('${protocol}//nowhere.example/', { mode: 'no-cors' }).catch(() => {})`)

    expect((await failed).failure()?.errorText).toBe('net::ERR_NAME_NOT_RESOLVED')
    answered = page
  })

  test('reaches an allowed range by https and wss with a self-signed certificate', async () => {
    const server = createHttpsServer(selfSigned, (_request, response) => response.end('<p>private</p>'))
    const sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => socket.send('secure'))
    server.listen(0, '127.0.0.9')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const context = await open.browser.newContext({ ignoreHTTPSErrors: true })
    const trusting = await context.newPage()

    await trusting.goto(`https://127.0.0.9:${port}/`)
    const message = await trusting.evaluate(`new Promise((done, fail) => {
      const socket = new WebSocket('wss://127.0.0.9:${port}/')
      socket.onmessage = ({ data }) => done(data); socket.onerror = () => fail(new Error('no socket')) })`)

    expect(await bodyText(trusting)).toBe('private')
    expect(message).toBe('secure')
    await context.close()
    for (const socket of sockets.clients) socket.terminate()
    server.close().closeAllConnections()
    answered = page
  })

  test('cannot request another address of a name after DNS rebinding', async () => {
    // The attacker's site closes each connection, so that the next request needs a new one.
    const attacker = createHttpServer((_request, response) =>
      response.writeHead(200, { connection: 'close', 'content-type': 'text/html' }).end('<p>attacker</p>'),
    )
    attacker.listen(victim.port, '127.0.0.8')
    await once(attacker, 'listening')
    const url = `http://rebind.example:${victim.port}/`

    await page.goto(url)
    const first = await bodyText(page)
    const second = await page.evaluate(`fetch(${q(url)}).then((response) => response.status, () => 'failed')`)

    expect(first).toBe('attacker')
    expect(second).toBe('failed')
    expect(askedForRebound).toEqual(expect.arrayContaining(['127.0.0.8', '127.0.0.1']))
    expect(victim.connections()).toBe(0)
    attacker.close()
  })
})
