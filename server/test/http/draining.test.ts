import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { fastify } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { trackRequests } from '../../src/http/draining.ts'
import { textOf } from '../../../test/mcp/answers.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** Sends a request over a keep-alive connection. */
async function ask(lab: Lab, agent: Agent, method: string, path: string, body?: unknown): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = {
    authorization: `Bearer ${lab.server.apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const request = httpRequest(new URL(path, lab.server.url), { method, agent, headers })
  request.on('error', reject)
  request.on('response', (response) => {
    const { statusCode: status, headers } = response
    text(response).then((content) => resolve({ status, headers, body: JSON.parse(content) }), reject)
  })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

describe('a draining server', () => {
  let answerPages: () => void
  let held: Promise<void>
  let site: Site
  beforeEach(() => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    answerPages = resolve
  })
  beforeAll(async () => {
    site = await startSite({
      '/held': async ({ response }) => {
        await held
        response.setHeader('content-type', 'text/html').end('<h1>Held</h1>')
      },
    })
  })
  afterAll(async () => site[Symbol.asyncDispose]())

  /** Starts a server with running scrapes, to be stopped by the test. */
  const startBusy = async (options: { readonly drainTimeout?: number } = {}) => {
    const lab = await startLab(options)
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const before = site.requests.all.length
    const requests = [
      ask(lab, agent, 'POST', '/v2/scrape', { url: site.url('/held'), formats: ['rawHtml'], maxAge: 0 }),
      ask(lab, agent, 'POST', '/v1/scrape', { url: site.url('/held?again'), formats: ['rawHtml'], maxAge: 0 }),
    ]
    await expect.poll(() => site.requests.all.length - before).toBeGreaterThanOrEqual(2)
    return { lab, agent, requests }
  }

  test('aborts requests that exceed the drain timeout, with `Retry-After`', async () => {
    const { lab, agent, requests } = await startBusy({ drainTimeout: 1 })

    const stopped = lab[Symbol.asyncDispose]()

    for (const { status, headers, body } of await Promise.all(requests)) {
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'DRAINING' } })
      expect(headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
    }
    await stopped
    agent.destroy()
  })

  test('refuses reads that are pending when it closes, instead of cutting their connections', async () => {
    const app = fastify()
    const draining = new AbortController()
    const drain = trackRequests(app, draining.signal, async () => 1)
    const whenRead = new Promise<void>((resolve) => {
      app.get('/', async () => {
        resolve()
        return held
      })
    })
    const response = fetch(await app.listen({ host: '127.0.0.1', port: 0 }))
    await whenRead

    draining.abort()
    await drain.waitForPending(0)
    await Promise.all([drain.close(), response])

    const { status, headers } = await response
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('completes running calls of MCP tools, and ends streams of messages to MCP clients', async () => {
    // Without the end of the stream, the server would wait for the whole time.
    const lab = await startLab({ drainTimeout: 3600 })
    const mcp = new RawMcp(new URL('/mcp', lab.server.url), lab.server.apiKey)
    await mcp.initialize()
    const { ended } = await mcp.listen()
    const scraped = mcp.call('scrape', { url: site.url('/held?mcp') })
    await expect.poll(() => site.requests.all.some(({ path }) => path === '/held?mcp')).toBe(true)

    const stopped = lab[Symbol.asyncDispose]()
    await ended
    const refused = await mcp.post({ id: 3, method: 'tools/list' })
    answerPages()

    expect(textOf(await scraped)).toContain('# Held')
    expect(refused.status).toBe(503)
    await stopped
  })

  test('completes running requests, refuses new work, is not ready, and closes connections after the response', async () => {
    const { lab, agent, requests } = await startBusy()
    const { id } = await lab.createSession()

    const stopped = lab[Symbol.asyncDispose]()
    const refused = await ask(lab, agent, 'POST', '/v2/scrape', { url: site.url('/held') })
    const created = await ask(lab, agent, 'POST', '/v2/browser', {})
    const read = await ask(lab, agent, 'GET', `/v2/browser/${id}`)
    const ready = await ask(lab, agent, 'GET', '/readyz')
    answerPages()

    for (const { status, headers, body } of [refused, created]) {
      const hint = 'No other server is running. Retry when one has started.'
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'DRAINING', hint } })
      expect(headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
    }
    expect(read).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(ready).toMatchObject({ status: 503, body: { sessions: { isDraining: true } } })
    for (const answer of await Promise.all(requests)) {
      expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' }, body: { success: true } })
    }
    await stopped
    agent.destroy()
  })
})
