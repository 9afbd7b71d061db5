import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { findFreePort } from '../../../test/lab/free-port.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

/** Where a proxy listens, and the server behind it. */
interface Route {
  readonly folder: string
  readonly port: number
  readonly upstream: string
}

interface Proxy {
  readonly name: string
  readonly program: string
  /** Writes its configuration. Returns the arguments of the program. */
  readonly configure: (route: Route) => Promise<readonly string[]>
}

async function documented(pattern: RegExp): Promise<string> {
  const page = await readFile(join(repository, 'docs/running/https.md'), 'utf8')
  return pattern.exec(page)?.[1] ?? ''
}

/** The configuration in the documentation, for these ports and without its own certificate. */
async function configureNginx({ folder, port, upstream }: Route): Promise<readonly string[]> {
  const server = (await documented(/```nginx\n([\s\S]*?)```/))
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replace('http://127.0.0.1:3900', upstream)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  // The default of 60 s, shortened. The documented configuration has to override it.
  const timeouts = ['proxy_read_timeout 1s;', 'proxy_send_timeout 1s;']
  const main = [`daemon off;`, `pid ${join(folder, 'pid')};`, `worker_processes 1;`, `error_log stderr;`, `events {}`]
  const file = join(folder, 'nginx.conf')
  await writeFile(file, [...main, `http {`, `access_log off;`, ...timeouts, ...temporary, server, `}`].join('\n'))
  return ['-c', file, '-p', folder]
}

async function configureCaddy({ folder, port, upstream }: Route): Promise<readonly string[]> {
  const site = (await documented(/```text\n(browsers\.example \{[\s\S]*?)```/))
    .replace('browsers.example', `http://127.0.0.1:${port}`)
    .replace('127.0.0.1:3900', new URL(upstream).host)
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n  admin off\n  auto_https off\n}\n${site}`)
  return ['run', '--config', file, '--adapter', 'caddyfile']
}

const proxies: readonly Proxy[] = [
  { name: 'nginx', program: '/usr/sbin/nginx', configure: configureNginx },
  { name: 'Caddy', program: '/usr/bin/caddy', configure: configureCaddy },
]

async function startProxy({ program, configure }: Proxy, route: Route): Promise<AsyncDisposable> {
  const env = {
    PATH: process.env['PATH'],
    HOME: route.folder,
    XDG_DATA_HOME: route.folder,
    XDG_CONFIG_HOME: route.folder,
  }
  const child = spawn(program, await configure(route), { stdio: 'ignore', env })
  return {
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Time that the long request takes in milliseconds, above the shortened timeout of nginx. */
const longMs = 1500

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
beforeAll(async () => {
  site = fixture.use(await startSite())
  lab = fixture.use(await startLab({ trustedProxies: ['loopback'], maxSessions: 1 }))
})
afterAll(async () => fixture.disposeAsync())

describe.each(proxies)('behind $name as documented', (proxy) => {
  const name = 'CDP, uploads, live views, events, long requests and the address of the client work'
  const isInstalled = existsSync(proxy.program)

  test.skipIf(!isInstalled)(isInstalled ? name : `skipped, as ${proxy.name} is not installed`, async () => {
    await using folder = await temporaryFolder()
    const port = await findFreePort()
    await using _proxy = await startProxy(proxy, { folder: folder.path, port, upstream: lab.server.url })
    const url = `http://127.0.0.1:${port}`
    const authorization = `Bearer ${lab.server.apiKey}`
    const headers = { authorization, 'content-type': 'application/json' }
    const post = async (path: string, body: object, extra = {}) =>
      fetch(url + path, { method: 'POST', headers: { ...headers, ...extra }, body: JSON.stringify(body) })
    await expect.poll(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status).toBe(200)

    const created = await post('/v2/browser', { ttl: 60 })
    const { id, cdpUrl, liveViewUrl } = (await created.json()) as Record<'id' | 'cdpUrl' | 'liveViewUrl', string>
    const browser = await chromium.connectOverCDP(cdpUrl)
    const page = await browser.contexts()[0]!.newPage()
    await page.goto(site.url('/title?text=Moored'))
    const title = await page.title()
    const { pathname, search } = new URL(liveViewUrl)
    const live = new WebSocket(`${url.replace('http', 'ws')}${pathname}/socket${search}`)
    await once(live, 'message')
    // Above the default of nginx, 1 MB, and of the buffer that it would write to disk first.
    const body = new Uint8Array(3_000_000)
    const uploaded = await fetch(`${url}/v2/browser/${id}/files?name=big.bin`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/octet-stream' },
      body,
    })
    const downloaded = await fetch(`${url}/v2/browser/${id}/files/big.bin`, { headers: { authorization } })
    const long = await post('/v2/scrape', { url: site.url(`/slow?ms=${longMs}`) })
    const liveState = live.readyState
    // The client has to receive the first event while its request still waits for the only slot.
    const waiting = await post('/v2/browser?wait=30', { ttl: 60 }, { accept: 'text/event-stream' })
    const events = waiting.body!.pipeThrough(new TextDecoderStream()).getReader()
    const queued = await events.read()
    live.terminate()
    await browser.close()
    await fetch(`${url}/v2/browser/${id}`, { method: 'DELETE', headers: { authorization } })
    const second = await events.read()
    const { id: next } = JSON.parse(/data: (.*)/.exec(second.value ?? '')?.[1] ?? '{}')
    await fetch(`${url}/v2/browser/${next}`, { method: 'DELETE', headers: { authorization } })

    expect(cdpUrl).toMatch(`ws://127.0.0.1:${port}/`)
    expect(title).toBe('Moored')
    expect(uploaded.status).toBe(200)
    expect((await downloaded.arrayBuffer()).byteLength).toBe(body.length)
    expect({ status: long.status, liveState }).toEqual({ status: 200, liveState: WebSocket.OPEN })
    expect([queued.value, second.value]).toEqual([
      expect.stringContaining('event: queued'),
      expect.stringContaining('event: created'),
    ])
  })
})
