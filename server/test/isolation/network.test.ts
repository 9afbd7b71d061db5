import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { openBrowserFixture } from '../browsers/browser-fixture.ts'
import { startRawServer, type RawServer } from '../egress/raw-client.ts'
import { startHttpUpstream } from '../egress/upstream-server.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openRawBrowser, type RawBrowser } from './raw-browser.ts'

const hasBubblewrap = existsSync('/usr/bin/bwrap')

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => address)
}

async function startOpenServer(): Promise<RawServer> {
  return startRawServer((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n'),
  )
}

/** Contacts a STUN server, by which WebRTC sends a packet to a chosen address. */
function sendPacket(port: number): string {
  return `new Promise((done) => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] })
  peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done() }
  peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); setTimeout(done, 3000)
})`
}

// Simulates a compromised browser: it has neither the proxy settings nor the rules for WebRTC.
async function openFree(host: BrowserHost): Promise<RawBrowser> {
  return openRawBrowser(host, {
    extraArgs: ['--force-webrtc-ip-handling-policy=default', '--webrtc-ip-handling-policy=default'],
  })
}

async function reach(raw: RawBrowser, victim: RawServer): Promise<void> {
  await raw.read('data:text/html,here')
  for (const address of [...ownAddresses(), '[::ffff:127.0.0.1]', 'localhost']) {
    await raw.evaluate(`fetch('http://${address}:${victim.port}/', { mode: 'no-cors' }).catch(() => {})`)
  }
}

async function countPackets(raw: RawBrowser): Promise<number> {
  const udp = createSocket('udp4')
  let packets = 0
  udp.on('message', () => packets++)
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  await raw.evaluate(sendPacket(udp.address().port))
  udp.close()
  return packets
}

describe.runIf(hasBubblewrap).each(['shell', 'chromium'] as const)('under strict isolation %s', (kind) => {
  test('reaches no address of the machine and sends no packets, even without the proxy', async () => {
    await using host = await openBrowserFixture(kind, 'strict')
    await using victim = await startOpenServer()
    await using raw = await openFree(host)

    await reach(raw, victim)

    expect(victim.connections()).toBe(0)
    expect(await countPackets(raw)).toBe(0)
  })

  test('reaches only what the egress policy allows, with every kind of request', async () => {
    await using victim = await startOpenServer()
    await using site = await startSite()
    await using lab = await startLab({ browser: kind, isolation: 'strict', allow: [`127.0.0.1:${site.port}`] })
    const session = await lab.createSession()
    const browser = await chromium.connectOverCDP(session.cdpUrl)
    const page = browser.contexts()[0]!.pages()[0]!

    await page.goto(site.url('/network'))

    await page.locator('#socket').filter({ hasText: 'hello' }).waitFor()
    expect(await page.innerText('#fetch')).toBe('fetched')
    expect(await page.evaluate('navigator.onLine')).toBe(true)
    await expect(page.goto(`http://127.0.0.1:${victim.port}/`)).rejects.toThrow('ERR_BLOCKED_BY_ADMINISTRATOR')
    expect(victim.connections()).toBe(0)

    // A second browser at the same time has its own network, with the proxy in it.
    if (kind === 'shell') {
      const other = await chromium.connectOverCDP((await lab.createSession()).cdpUrl)
      const response = await other.contexts()[0]!.pages()[0]!.goto(site.url('/network'))
      expect(response?.status()).toBe(200)
      await page.goto(site.url('/network'))
      await page.locator('#socket').filter({ hasText: 'hello' }).waitFor()
      await other.close()
    }
    await browser.close()
  })
})

test('without its own network, a browser can reach loopback and send packets', async () => {
  await using host = await openBrowserFixture()
  await using victim = await startOpenServer()
  await using raw = await openFree(host)

  await reach(raw, victim)

  expect(victim.connections()).toBeGreaterThan(0)
  expect(await countPackets(raw)).toBeGreaterThan(0)
})

test.runIf(hasBubblewrap)(
  'under strict isolation, a browser reaches the proxies of browser contexts at addresses of their own',
  async () => {
    await using site = await startSite()
    await using first = await startHttpUpstream(site.port)
    await using second = await startHttpUpstream(site.port, 'me:secret')
    await using lab = await startLab({ browser: 'shell', isolation: 'strict', allow: ['127.0.0.1'] })
    const browser = await chromium.connectOverCDP((await lab.createSession()).cdpUrl)
    const visit = async (proxy: { server: string; username?: string; password?: string }): Promise<void> => {
      await using context = await browser.newContext({ proxy })
      const page = await context.newPage()
      // Not resolvable here: only the proxy can connect to it.
      const response = await page.goto('http://public.invalid/')
      expect(response?.status()).toBe(200)
      expect(await response?.serverAddr()).toBeNull()
      // Through another context's address, a page would use another context's proxy.
      await expect(page.goto('http://127.0.0.2:3128/')).rejects.toThrow('ERR_BLOCKED_BY_ADMINISTRATOR')
      await expect(page.goto('http://127.0.0.3:3128/')).rejects.toThrow('ERR_BLOCKED_BY_ADMINISTRATOR')
    }

    await visit({ server: `http://127.0.0.1:${first.port}` })
    await visit({ server: `http://127.0.0.1:${second.port}`, username: 'me', password: 'secret' })

    for (const { asked } of [first, second]) expect(asked).toContain('GET http://public.invalid/ HTTP/1.1')
    await browser.close()
  },
)
