import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { once } from 'node:events'
import { get } from 'node:http'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playwright } from 'bowline/playwright'
import { openStore } from '../../src/store/open.ts'
import { connectCdp, openInFirstPage, refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { startCuttingProxy } from '../../../test/lab/cutting-proxy.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { textOf } from '../../../test/mcp/answers.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const apiKey = 'cluster-key-0123456789abcdef'

describe('two servers on one PostgreSQL', () => {
  let databaseUrl: string
  let blobs: string
  let left: Lab
  let right: Lab
  /** A session on the left server. */
  let session: Awaited<ReturnType<Lab['createSession']>>
  const undo = new AsyncDisposableStack()
  beforeAll(async () => {
    const database = undo.use(await (await sharedPostgres()).createDatabase())
    databaseUrl = database.url
    blobs = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))).path
    left = undo.use(await startLab({ databaseUrl, apiKey, blobs, maxSessions: 2 }))
    right = undo.use(await startLab({ databaseUrl, apiKey, blobs, maxSessions: 2 }))
    session = await left.createSession()
  })
  afterAll(async () => undo.disposeAsync())

  /** The URL of a session with the host of the other server. */
  const throughOther = (url: string): string =>
    url.replace(new URL(left.server.url).host, new URL(right.server.url).host)

  test('each lists the sessions of the other with its own URLs', async () => {
    const { body } = await right.api('GET', `/v2/browser/${session.id}`)

    expect(body).toMatchObject({ status: 'active', cdpUrl: throughOther(session.cdpUrl) })
    const { body: list } = await right.api('GET', '/v2/browser?status=active')
    expect(list['sessions'].map((each: { id: string }) => each.id)).toContain(session.id)
  })

  test('a session that ends during a store outage is billed afterwards, for its duration', async () => {
    await using store = await openStore({ dataDir: left.dataDir, databaseUrl })
    const path = `/v2/browser/${(await left.createSession()).id}`
    await sql`alter table ledger rename to hidden`.execute(store.db)

    const { status } = await left.api('DELETE', path)
    const endedAtMs = Date.now()
    await sql`alter table hidden rename to ledger`.execute(store.db)

    expect(status).toBe(500)
    await expect.poll(async () => (await left.api('GET', path)).body['status'], { timeout: 20_000 }).toBe('destroyed')
    const { body } = await left.api('GET', path)
    expect(body).toMatchObject({ endReason: 'deleted', creditsBilled: 2 })
    expect(Date.parse(body['createdAt']) + body['sessionDurationMs']).toBeLessThan(endedAtMs)
  })

  test('a page is handed to a human, and back, through the other server', async () => {
    const started = await right.api('POST', `/v2/browser/${session.id}/handoff`, { instructions: 'Sign in' })
    const { id, targetId } = started.body['handoff']
    const path = `/v2/browser/${session.id}/handoff/${id}`
    const waiting = right.api('GET', `${path}?wait=25`)
    await using client = await connectCdp(throughOther(session.cdpUrl))
    const { result } = await client.call('Cloudflare.getHandoffState', { targetId })

    await client.call('Cloudflare.handoffComplete', { targetId, reason: 'Signed in' })

    expect(result).toMatchObject({ active: true, handoffId: id })
    expect((await waiting).body['handoff']).toMatchObject({ id, status: 'succeeded', reason: 'Signed in' })
    expect((await right.api('GET', `/v2/browser/${session.id}`)).body['handoff']).toBeUndefined()
  })

  test('an MCP session, and a handle, are used and ended through the other server', async () => {
    const [mcp, other] = [left, right].map(({ server }) => new RawMcp(new URL('/mcp', server.url), apiKey))
    await mcp!.initialize()
    const { result } = await mcp!.modern('tools/call', { name: 'browser_snapshot', arguments: {} })
    const handle = /session: "([^"]+)"/.exec(textOf(result))?.[1]

    const listed = await other!.takeOver(mcp!.sessionId).post({ id: 2, method: 'tools/list' })
    const call = { name: 'browser_close', arguments: { session: handle } }
    const closed = await other!.modern('tools/call', call)
    const ended = await other!.end()

    expect(listed.result.tools.length).toBeGreaterThan(20)
    expect(textOf(closed.result)).toContain('has ended')
    expect(ended).toBe(200)
    expect((await mcp!.post({ id: 3, method: 'tools/list' })).status).toBe(404)
  })

  test('the audit log has the id and the client of a relayed request, not the server that relayed it', async () => {
    const headers = { authorization: 'Bearer wrong', 'x-request-id': 'relayed-1', 'x-bowline-address': '9.9.9.9' }
    const request = get(new URL(`/v2/browser/${session.id}`, right.server.url), { headers, localAddress: '127.0.1.7' })
    const [response] = await once(request, 'response')
    response.resume()

    expect([response.statusCode, response.headers['x-request-id']]).toEqual([401, 'relayed-1'])
    const find = async () => (await right.api('GET', '/v2/audit-log?action=auth.failed&limit=1')).body['data']
    await expect.poll(find).toMatchObject([{ address: '127.0.1.7', requestId: 'relayed-1' }])
  })

  test('a session is changed through either server, and its timers follow', async () => {
    const { id } = await left.createSession({ ttl: 60, activityTtl: 300 })

    const { status, body } = await right.api('PATCH', `/v2/browser/${id}`, { ttl: 900, name: 'renamed' })
    const other = await right.api('PATCH', `/v2/browser/${id}`, { activityTtl: 10 })

    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: 'active', name: 'renamed' } })
    expect(Date.parse(body['expiresAt'])).toBeGreaterThan(Date.now() + 890_000)
    expect(other.body).toMatchObject({ name: 'renamed', expiresAt: body['expiresAt'] })
    const find = async () => (await right.api('GET', `/v2/browser/${id}`)).body
    await expect.poll(find, { timeout: 15_000 }).toMatchObject({ status: 'destroyed', endReason: 'idle' })
    const late = await right.api('PATCH', `/v2/browser/${id}`, { ttl: 60 })
    expect(late).toMatchObject({ status: 410, body: { code: 'SESSION_ENDED' } })
  })

  test('a server cannot start in the data directory of another, and ends none of its sessions', async () => {
    const second = startLab({ databaseUrl, apiKey, dataDir: left.dataDir })

    await expect(second).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' })
    expect((await left.api('GET', `/v2/browser/${session.id}`)).body).toMatchObject({ status: 'active' })
  })

  test('CDP reaches a session through either server', async () => {
    const browser = await chromium.connectOverCDP(throughOther(session.cdpUrl))
    const page = browser.contexts()[0]!.pages()[0]!
    await page.goto('data:text/html,<title>through the other</title>')

    expect(await page.title()).toBe('through the other')
    expect(await page.evaluate<string>(`'x'.repeat(5e6)`)).toHaveLength(5e6)
    await browser.close()
  })

  test('discovery and the WebSockets of pages reach a session through either server', async () => {
    const base = throughOther(session.cdpUrl).replace('?token=', '/')

    const browser = await chromium.connectOverCDP(base.replace('ws:', 'http:'))
    expect(browser.contexts()[0]!.pages().length).toBeGreaterThan(0)
    await browser.close()
    const response = await fetch(`${base.replace('ws:', 'http:')}/json/list`)
    const [{ webSocketDebuggerUrl }] = (await response.json()) as [{ webSocketDebuggerUrl: string }]
    expect(webSocketDebuggerUrl.startsWith(`${base}/devtools/page/`)).toBe(true)
    await using page = await connectCdp(webSocketDebuggerUrl)
    expect((await page.call('Runtime.evaluate', { expression: '1 + 1' })).result).toMatchObject({
      result: { value: 2 },
    })
  })

  test('the page of a session is scraped through either server, and recorded once', async () => {
    await using client = await connectCdp(session.cdpUrl)
    await openInFirstPage(client, 'data:text/html,<h1>Relayed</h1>')

    const byPath = await right.api('POST', `/v2/browser/${session.id}/scrape`, {})
    const byBody = await right.api('POST', '/v2/scrape', { sessionId: session.id, formats: ['markdown'] })
    const refused = await right.api('POST', '/v2/scrape', { sessionId: session.id, targetId: 'NONE' })

    for (const { body } of [byPath, byBody]) expect(body).toMatchObject({ data: { markdown: '# Relayed\n' } })
    expect(refused).toMatchObject({ status: 404, body: { code: 'TARGET_NOT_FOUND' } })
    const recorded = await Promise.all(
      [left, right].map(async (lab) => (await lab.api('GET', '/v2/team/activity?endpoint=scrape')).body['data']),
    )
    const newestFirst = [byBody, byPath].map(({ body }) => body['data'].metadata.scrapeId)
    for (const activities of recorded) {
      expect(activities.map(({ id }: { id: string }) => id)).toEqual(newestFirst)
    }
  })

  test('a server that shuts down closes relayed connections with a code to reconnect', async () => {
    const between = await startLab({ databaseUrl, apiKey, blobs })
    const address = session.cdpUrl.replace(new URL(left.server.url).host, new URL(between.server.url).host)
    const cdp = await connectCdp(address)
    // The database answers late whether the session is still alive.
    const locking = new Client({ connectionString: databaseUrl })
    await locking.connect()
    await locking.query('begin')
    await locking.query('lock table session in access exclusive mode')

    const stopped = between[Symbol.asyncDispose]()
    await sleep(500)
    await locking.end()
    await stopped

    const { code, reason } = await cdp.closed
    expect({ code, reason }).toEqual({ code: 1012, reason: expect.stringContaining('reconnect') })
    expect((await left.api('GET', `/v2/browser/${session.id}`)).body).toMatchObject({ status: 'active' })
  })

  test('a driver resumes a connection that a server which shuts down has relayed', async () => {
    const between = await startLab({ databaseUrl, apiKey, blobs })
    await using balancer = await startCuttingProxy(between.server.url)
    const cdpUrl = session.cdpUrl.replace(new URL(left.server.url).host, new URL(balancer.url).host)
    await using handles = await playwright.connect({ id: session.id, cdpUrl })
    const evaluating = handles.page.evaluate(
      'new Promise((resolve) => { window.finish = () => resolve("the same page") })',
    )
    await handles.page.evaluate('window.started = true')

    balancer.connectTo(right.server.url)
    await between[Symbol.asyncDispose]()
    await handles.page.evaluate('window.finish()')

    expect(await evaluating).toBe('the same page')
  })

  test('the live view opens on either server', async () => {
    const answer = await fetch(throughOther(session.liveViewUrl ?? ''))

    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<canvas')
  })

  test.each([
    ['path', async (id: string) => right.api('DELETE', `/v2/browser/${id}`)],
    ['body', async (id: string) => right.api('DELETE', '/v2/browser', { id })],
    [
      'body, with the header by which servers report an undelivered session,',
      async (id: string) =>
        right.api(
          'DELETE',
          '/v2/browser',
          { id },
          { authorization: `Bearer ${apiKey}`, 'x-bowline-undelivered': 'true' },
        ),
    ],
  ])(
    'a delete by %s on one server ends and bills a session on the other, and notifies its clients',
    async (_how, destroy) => {
      const { id, cdpUrl } = await left.createSession()
      await using cdp = await connectCdp(cdpUrl)

      const { status, body } = await destroy(id)

      expect({ status, body }).toMatchObject({ status: 200, body: { success: true, creditsBilled: 2 } })
      expect(await cdp.closed).toEqual({ code: 4000, reason: 'deleted' })
    },
  )

  test('wrong tokens and keys of other teams are also rejected by the other server', async () => {
    const { body } = await right.api('POST', '/v2/team/keys', { team: 'other' })

    expect((await refusedUpgrade(throughOther(session.cdpUrl).replace(/token=.*/, 'token=x'))).status).toBe(404)
    const otherTeam = { authorization: `Bearer ${body['key']}` }
    expect((await right.api('DELETE', `/v2/browser/${session.id}`, undefined, otherTeam)).status).toBe(403)
  })

  test('a full server creates new sessions on the one with free slots', async () => {
    const many = [session, await left.createSession({ ttl: 60 })]

    const more = await left.createSession({ ttl: 60 })

    expect(right.server.liveSessions()).toBeGreaterThanOrEqual(1)
    expect(new URL(more.cdpUrl).host).toBe(new URL(left.server.url).host)
    await using cdp = await connectCdp(more.cdpUrl)
    expect((await cdp.call('Browser.getVersion')).result).toBeDefined()
    await Promise.all([...many, more].map(async ({ id }) => right.api('DELETE', `/v2/browser/${id}`)))
    expect(left.server.liveSessions() + right.server.liveSessions()).toBe(0)
  })
})
