import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { mcpOptionsOf } from '../../src/http/mcp-options.ts'
import { Bowline } from '../../../src/index.ts'
import { AgentBrowser } from '../../../src/mcp/browser/agent-browser.ts'
import { connectTabs, type OpenBrowser } from '../../../src/mcp/browser/driven-browser.ts'
import { startCuttingProxy } from '../../../test/lab/cutting-proxy.ts'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { textOf } from '../../../test/mcp/answers.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let model: Model
let site: Site
let otherKey: string

beforeAll(async () => {
  model = fixture.use(await startModel(() => '{"boat":1}'))
  lab = fixture.use(await startLab({ llmUrl: model.url }))
  site = fixture.use(
    await startSite({
      '/foreign-frame': (exchange) => {
        const frame = `<iframe src="${exchange.crossOrigin}/secret"></iframe>`
        const body = `<div id="root"></div>${frame}<script>root.textContent = 'Written by a script'</script>`
        return fixedPage('Framed', body)(exchange)
      },
      '/secret': fixedPage('Secret', '<h1>Secret of another host</h1>'),
    }),
  )
  otherKey = (await lab.api('POST', '/v2/team/keys', { team: 'other' })).body['key']
})

afterAll(async () => {
  await fixture.disposeAsync()
})

function connectRaw(query = '', apiKey = lab.server.apiKey): RawMcp {
  return new RawMcp(new URL(`/mcp${query}`, lab.server.url), apiKey)
}

async function liveSessions(): Promise<readonly { readonly id: string }[]> {
  return (await lab.api('GET', '/v2/browser?status=active')).body['sessions']
}

async function sessionOf(answer: string): Promise<Record<string, unknown>> {
  const id = /browser session (\S+?)[,.]/.exec(answer)?.[1] ?? ''
  return (await lab.api('GET', `/v2/browser/${id}`)).body
}

test('a client of 2025 has a browser for its MCP session, which ends and is billed with it', async () => {
  const mcp = connectRaw()
  await mcp.initialize()

  const before = await liveSessions()
  const first = textOf(await mcp.call('browser_navigate', { url: site.url('/form') }))
  const second = textOf(await mcp.call('browser_snapshot'))
  const foreign = await connectRaw('', otherKey).takeOver(mcp.sessionId).post({ id: 4, method: 'tools/list' })
  const status = await mcp.end()
  const after = await mcp.post({ id: 5, method: 'tools/list' })

  expect(before).toEqual([])
  expect(first).toContain(`Live view: ${lab.server.url}/live/`)
  expect(second).toContain('textbox "Name"')
  expect(second).not.toContain('Live view')
  expect(foreign.status).toBe(404)
  expect(status).toBe(200)
  expect(after.status).toBe(404)
  expect(await sessionOf(first)).toMatchObject({ status: 'destroyed', endReason: 'deleted', creditsBilled: 2 })
})

test('a client of protocol version 2026-07-28 passes a session handle, which other teams cannot use', async () => {
  const mcp = connectRaw()
  const call = async (client: RawMcp, name: string, args: object) =>
    (await client.modern('tools/call', { name, arguments: args })).result

  const { result: discovered } = await mcp.modern('server/discover')
  const first = textOf(await call(mcp, 'browser_navigate', { url: site.url('/form') }))
  const session = /session: "([^"]+)"/.exec(first)?.[1]
  const second = textOf(await call(mcp, 'browser_snapshot', { session }))
  const foreign = await call(connectRaw('', otherKey), 'browser_snapshot', { session })
  const closed = textOf(await call(mcp, 'browser_close', { session }))

  expect(discovered.supportedVersions).toContain('2026-07-28')
  expect(second).toContain('textbox "Name"')
  expect(foreign).toMatchObject({ isError: true })
  expect(textOf(foreign)).toContain('SESSION_NOT_FOUND')
  expect(closed).toContain('2 credits')
  expect(await sessionOf(first)).toMatchObject({ status: 'destroyed' })
})

test('the official client learns that its session had expired', async () => {
  const versionNegotiation = { mode: { pin: '2026-07-28' } }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const requestInit = { headers: { authorization: `Bearer ${lab.server.apiKey}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', lab.server.url), { requestInit }))
  const first = textOf(await client.callTool({ name: 'browser_snapshot' }))
  const session = /session: "([^"]+)"/.exec(first)?.[1]
  await lab.api('DELETE', `/v2/browser/${(await sessionOf(first))['id'] as string}`)

  const next = textOf(await client.callTool({ name: 'browser_snapshot', arguments: { session } }))
  await client.callTool({ name: 'browser_close', arguments: { session } })
  await client.close()

  expect(next).toMatch(/previous browser session has ended .*A new one was opened/)
  expect(next).toContain('Live view')
  expect(await liveSessions()).toEqual([])
})

test('a call whose session has ended opens another one, although the connection is not closed yet', async () => {
  await using proxy = await startCuttingProxy(lab.server.url)
  const bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  const toConnectUrl = (url: string): string =>
    url.replace(lab.server.url.slice('http://'.length), new URL(proxy.url).host)
  await using agent = new AgentBrowser({ bowline, session: {}, toConnectUrl })
  const titleOf = async ({ tabs }: OpenBrowser): Promise<string> => (await tabs.current()).page.title()
  await agent.use(titleOf)
  const [{ id }] = (await liveSessions()) as readonly [{ readonly id: string }]
  agent.takeNotices()

  proxy.freeze()
  await lab.api('DELETE', `/v2/browser/${id}`)
  const next = agent.use(titleOf)
  proxy.cut()

  expect(await next).toBe('')
  expect(agent.takeNotices()[0]).toMatch(/^The previous browser session has ended .*A new one was opened/)
})

test.each(['its session is created', 'it connects'])(
  'a browser whose owner ends while %s leaves no session behind',
  async (moment) => {
    let ending: Promise<void> | undefined
    const endAt = <Value>(reached: string, value: Value): Value => {
      if (reached === moment) ending ??= agent[Symbol.asyncDispose]()
      return value
    }
    const bowline = new Bowline({
      baseUrl: lab.server.url,
      apiKey: lab.server.apiKey,
      reaper: false,
      fetch: async (request) => fetch(endAt('its session is created', request)),
    })
    const toConnectUrl = (url: string): string => endAt('it connects', url)
    const agent: AgentBrowser = new AgentBrowser({ bowline, session: {}, toConnectUrl })

    await expect(agent.use(async () => 'used')).rejects.toMatchObject({ code: 'SESSION_ENDED' })
    await ending

    await expect.poll(liveSessions).toEqual([])
  },
)

test('a connection whose browser refuses a command at its start is closed', async () => {
  const { id, cdpUrl } = await lab.createSession()
  await using relay = new AsyncDisposableStack()
  const server = relay.adopt(new WebSocketServer({ host: '127.0.0.1', port: 0 }), (each) => each.close())
  await once(server, 'listening')
  server.on('connection', (client) => {
    const upstream = new WebSocket(cdpUrl)
    const opened = once(upstream, 'open')
    client.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { readonly id: number; readonly method: string }
      const error = { code: -32_000, message: 'Refused by the test' }
      if (method === 'Target.attachToBrowserTarget') client.send(JSON.stringify({ id, error }))
      else void opened.then(() => upstream.send(data))
    })
    upstream.on('message', (data: Buffer) => client.send(data.toString()))
    client.on('close', () => upstream.terminate())
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { signal } = new AbortController()

  await expect(connectTabs(url, chromium, { signal })).rejects.toThrow('Refused by the test')

  await expect.poll(() => server.clients.size).toBe(0)
  await lab.api('DELETE', `/v2/browser/${id}`)
})

test('the URL of a client can restrict its tools and hosts', async () => {
  const mcp = connectRaw('?readOnly=true&allowedDomains=*.example.com')
  await mcp.initialize()

  const { result } = await mcp.post({ id: 6, method: 'tools/list' })
  const refused = await mcp.call('browser_navigate', { url: site.url('/form') })
  const withPort = await mcp.call('browser_navigate', { url: 'shop.example.org:8080/path' })
  const invalid = await connectRaw('?maxTokens=1').post({ id: 7, method: 'tools/list' })
  await mcp.end()

  const names = result.tools.map(({ name }: { readonly name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['browser_navigate', 'browser_snapshot']))
  expect(names).not.toEqual(expect.arrayContaining(['browser_click']))
  expect(textOf(refused)).toContain('The host 127.0.0.1 is not allowed')
  expect(textOf(withPort)).toContain('The host shop.example.org is not allowed')
  expect(invalid.status).toBe(400)
})

test('an API key can restrict tools and hosts, and the URL cannot widen them', async () => {
  const mcp = { tools: 'read', allowedDomains: ['*.example.com'] }
  const created = (await lab.api('POST', '/v2/team/keys', { name: 'agent', mcp })).body
  const { body: keys } = await lab.api('GET', '/v2/team/keys')
  const restricted = connectRaw('?readOnly=false', created['key'])
  await restricted.initialize()

  const { result } = await restricted.post({ id: 10, method: 'tools/list' })
  const refused = await restricted.call('browser_navigate', { url: site.url('/form') })
  const outside = await connectRaw('?allowedDomains=127.0.0.1', created['key']).post({ id: 11, method: 'tools/list' })
  const unrestricted = connectRaw()
  await unrestricted.initialize()
  const foreign = await connectRaw('', created['key'])
    .takeOver(unrestricted.sessionId)
    .post({ id: 12, method: 'tools/list' })
  await Promise.all([restricted.end(), unrestricted.end()])

  expect(created['data'].mcp).toEqual(mcp)
  expect(keys['data']).toContainEqual(created['data'])
  const names = result.tools.map(({ name }: { readonly name: string }) => name)
  expect(names).toContain('browser_snapshot')
  expect(names).not.toContain('browser_click')
  expect(textOf(refused)).toContain('The host 127.0.0.1 is not allowed')
  expect(outside.status).toBe(400)
  expect(foreign.status).toBe(404)
})

test.each([
  [['*.a.example'], ['b.a.example'], ['b.a.example']],
  [['a.example', 'b.example'], ['b.example', 'c.example'], ['b.example']],
  [['*.a.example:8443'], ['x.a.example'], ['x.a.example:8443']],
  [['*.a.example'], ['*.b.a.example', '*.example'], ['*.b.a.example', '*.a.example']],
])('hosts of a key %j and of the URL %j leave %j', (allowedDomains, inUrl, expected) => {
  const options = mcpOptionsOf({ allowedDomains: inUrl.join(',') }, { maxTtlSeconds: 3600 }, { allowedDomains })

  expect(options.allowedDomains).toEqual(expected)
})

test('hosts of the URL outside those of the key are refused', () => {
  const settings = { maxTtlSeconds: 3600, allowedDomains: ['a.example'] }

  expect(() => mcpOptionsOf({}, settings, { allowedDomains: ['*.a.example'] })).toThrow('is outside')
  expect(() => mcpOptionsOf({ allowedDomains: 'evila.example' }, settings)).toThrow('is outside')
})

test('hosts that are not allowed are not requested if allowed hosts redirect to them', async () => {
  const mcp = connectRaw('?allowedDomains=127.0.0.1')
  await mcp.initialize()
  const before = site.requests.all.length
  const url = site.url(`/redirect?to=${encodeURIComponent(site.crossUrl('/'))}`)

  const scraped = textOf(await mcp.call('scrape', { url }))
  const crawled = textOf(await mcp.call('crawl', { url, limit: 1 }))
  const mapped = textOf(await mcp.call('map', { url }))
  const extracted = textOf(await mcp.call('extract', { urls: [url], prompt: 'Which boat?' }))
  await mcp.end()

  expect(scraped).toContain('EGRESS_REFUSED')
  expect(crawled).toMatch(/^0 pages/)
  expect(mapped).toContain('EGRESS_REFUSED')
  expect(extracted).toContain('EXTRACT_FAILED')
  const requests = site.requests.all.slice(before)
  expect(requests.filter(({ headers }) => headers.host?.startsWith('localhost') === true)).toEqual([])
})

test('frames are left out of scraped pages if hosts are restricted', async () => {
  const open = connectRaw()
  const restricted = connectRaw('?allowedDomains=127.0.0.1')
  await Promise.all([open.initialize(), restricted.initialize()])
  const page = { url: site.url('/foreign-frame'), waitFor: 1, onlyMainContent: false }

  const everything = textOf(await open.call('scrape', page))
  const scraped = textOf(await restricted.call('scrape', page))
  const raw = textOf(await restricted.call('scrape', { ...page, format: 'rawHtml' }))
  const crawled = textOf(await restricted.call('crawl', { url: site.url('/foreign-frame'), limit: 1 }))
  await restricted.call('extract', { urls: [site.url('/foreign-frame')], prompt: 'Which boat?' })
  const read = JSON.stringify(model.questions.at(-1))
  await Promise.all([open.end(), restricted.end()])

  expect(everything).toContain('Secret of another host')
  for (const answer of [scraped, raw, crawled, read]) {
    expect(answer).toContain('Written by a script')
    expect(answer).not.toContain('Secret of another host')
  }
})

test('searches return results of allowed hosts only', async () => {
  for (const url of [site.url('/secret'), site.crossUrl('/secret')]) await lab.api('POST', '/v2/scrape', { url })
  const open = connectRaw()
  const restricted = connectRaw('?allowedDomains=127.0.0.1')
  await Promise.all([open.initialize(), restricted.initialize()])

  const everything = textOf(await open.call('search', { query: 'secret' }))
  const found = textOf(await restricted.call('search', { query: 'secret' }))
  await Promise.all([open.end(), restricted.end()])

  expect(everything).toContain(site.crossUrl('/secret'))
  expect(found).toContain(site.url('/secret'))
  expect(found).not.toContain('localhost')
  expect(found).toMatch(/^1 result, without those of hosts that are not allowed/)
})

test('requests without key and those of other web pages are refused', async () => {
  const origin = 'https://evil.example'
  const url = new URL('/mcp', lab.server.url)

  const anonymous = await new RawMcp(url, 'wrong').post({ id: 8, method: 'tools/list' })
  const foreign = await new RawMcp(url, lab.server.apiKey, { origin }).post({ id: 9, method: 'tools/list' })

  expect(anonymous.status).toBe(401)
  expect(foreign.status).toBe(403)
})
