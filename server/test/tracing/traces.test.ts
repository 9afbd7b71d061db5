import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { once } from 'node:events'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { startTraceCollector, type ReceivedSpan, type TraceCollector } from '../../../test/lab/trace-collector.ts'

const [clientTrace, clientSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

const fixture = new AsyncDisposableStack()
let collector: TraceCollector
let secrets: readonly string[]
let jobRequestId: string | null

async function batch(lab: Lab, site: Site): Promise<string | null> {
  const started = await lab.api('POST', '/v2/batch/scrape', {
    urls: [site.url('/title?text=A'), site.url('/title?text=B')],
  })
  const statusOf = async () => (await lab.api('GET', `/v2/batch/scrape/${started.body['id']}`)).body['status']
  await vi.waitFor(async () => expect(await statusOf()).toBe('completed'), { timeout: 15_000 })
  return started.headers.get('x-request-id')
}

beforeAll(async () => {
  collector = fixture.use(await startTraceCollector())
  const site = fixture.use(await startSite())
  const { url: databaseUrl } = fixture.use(await (await sharedPostgres()).createDatabase())
  const blobs = fixture.use(await temporaryFolder())
  const options = { databaseUrl, blobs: blobs.path, otlpEndpoint: collector.url }
  // The last spans are sent when the servers stop.
  await using first = await startLab({ ...options, maxSessions: 1 })
  await using second = await startLab({ ...options, maxSessions: 1 })
  const key = { authorization: `Bearer ${second.server.apiKey}` }
  const traceparent = `00-${clientTrace}-${clientSpan}-01`
  const page = site.url('/title?text=SecretText&token=secret-token')
  await first.api(
    'POST',
    '/v2/scrape',
    { url: page, headers: { 'x-secret': 'secret-header' } },
    {
      authorization: `Bearer ${first.server.apiKey}`,
      traceparent,
    },
  )
  await first.api('POST', '/v2/scrape', { url: 'http://127.0.0.1:9/secret-path' })
  const session = await first.createSession()
  const { pathname, search, searchParams } = new URL(session.cdpUrl)
  secrets = [searchParams.get('token')!, first.server.apiKey, second.server.apiKey]
  // The second server relays the connection to the first.
  for (const { server } of [first, second]) {
    const socket = new WebSocket(new URL(`${pathname}${search}`, server.url.replace('http', 'ws')))
    await once(socket, 'open')
    socket.terminate()
  }
  await second.api('DELETE', `/v2/browser/${session.id}`, undefined, key)
  jobRequestId = await batch(first, site)
})
afterAll(async () => fixture.disposeAsync())

/** Returns a span and those below it as `{ name: children }`, without queries. */
function treeOf(span: ReceivedSpan): object {
  const steps = childrenOf(span).filter(({ attributes }) => !('db.system.name' in attributes))
  return { [span.name]: steps.map(treeOf) }
}

function childrenOf({ spanId }: ReceivedSpan): readonly ReceivedSpan[] {
  return collector.spans.filter(({ parentId }) => parentId === spanId).toSorted((a, b) => Number(a.startNs - b.startNs))
}

function queriesBelow(span: ReceivedSpan): readonly string[] {
  return childrenOf(span).flatMap((child) =>
    'db.system.name' in child.attributes ? [child.name] : queriesBelow(child),
  )
}

function spansNamed(name: string): readonly ReceivedSpan[] {
  return collector.spans.filter((span) => span.name === name)
}

const socketName = 'GET /v2/browser/{id}/cdp'

test('a scrape has a span for its wait, fetch, formats and queries, in the trace of its client', () => {
  const request = spansNamed('POST /v2/scrape').find(({ traceId }) => traceId === clientTrace)

  expect(request).toMatchObject({
    parentId: clientSpan,
    hasFailed: false,
    attributes: { 'http.request.method': 'POST', 'http.route': '/v2/scrape', 'http.response.status_code': 200 },
    resource: { 'service.name': 'bowline', 'service.version': expect.any(String) },
  })
  expect(treeOf(request!)).toEqual({
    'POST /v2/scrape': [{ queue: [] }, { 'scrape.fetch': [] }, { 'scrape.format': [] }],
  })
  expect(queriesBelow(request!)).toEqual(expect.arrayContaining(['INSERT scrape']))
  const ends = childrenOf(request!).map(({ startNs, endNs }) => startNs >= request!.startNs && endNs >= startNs)
  expect(new Set(ends)).toEqual(new Set([true]))
})

test('a scrape that fails has failed spans with its error code', () => {
  const request = spansNamed('POST /v2/scrape').find(({ traceId }) => traceId !== clientTrace)
  const fetching = childrenOf(request!).find(({ name }) => name === 'scrape.fetch')

  const failure = { hasFailed: true, attributes: { 'error.type': 'SCRAPE_SITE_ERROR' } }
  expect([request, fetching]).toMatchObject([failure, failure])
})

test('the trace of a session has the start of its browser and the connections to it', () => {
  const [request] = spansNamed('POST /v2/browser')

  expect(treeOf(request!)).toEqual({
    'POST /v2/browser': [
      {
        'session.create': [
          { 'browser.start': [] },
          { 'browser.prepare': [] },
          { [socketName]: [{ 'cdp.connect': [] }] },
        ],
      },
    ],
  })
  expect(queriesBelow(request!)).toEqual(expect.arrayContaining(['INSERT session']))
})

test('a connection and a request that another server relays are one trace, which links to that of the session', () => {
  const [creation] = spansNamed('session.create')
  const roots = collector.spans.filter(({ parentId }) => parentId === '')
  const socket = roots.find(({ name }) => name === socketName)
  const deletion = roots.find(({ name }) => name.startsWith('DELETE'))
  const relay = childrenOf(socket!).find(({ name }) => name === 'relay')
  const [relayed] = childrenOf(relay!)

  expect(treeOf(socket!)).toEqual({ [socketName]: [{ relay: [{ [socketName]: [{ 'cdp.connect': [] }] }] }] })
  expect(relayed?.links).toEqual([creation?.spanId])
  expect(relayed?.resource['service.instance.id']).not.toBe(socket?.resource['service.instance.id'])
  expect(treeOf(deletion!)).toMatchObject({ 'DELETE /v2/browser/:id': [{ relay: [{ 'DELETE /v2/browser/:id': [] }] }] })
})

test('the pages of a job have traces of their own, which link to the request that made it', () => {
  const [request] = spansNamed('POST /v2/batch/scrape')
  const pages = spansNamed('job.page')

  expect(pages.map(({ links }) => links)).toEqual([[request?.spanId], [request?.spanId]])
  expect(pages.map(({ attributes }) => attributes['bowline.request.id'])).toEqual([jobRequestId, jobRequestId])
  expect(new Set([request, ...pages].map((span) => span?.traceId)).size).toBe(3)
  expect(treeOf(pages[0]!)).toEqual({ 'job.page': [{ queue: [] }, { 'scrape.fetch': [] }, { 'scrape.format': [] }] })
  expect(spansNamed('task bulk')[0]?.links).toEqual([request?.spanId])
})

test('names of spans have no ids, and spans contain no URLs, secrets and page contents', () => {
  const sent = collector.received()

  expect(collector.paths).toContain('/v1/traces')
  const names = new Set(collector.spans.map(({ name }) => name))
  expect([...names].filter((name) => /[0-9a-f]{8}-|secret/i.test(name))).toEqual([])
  for (const secret of [...secrets, 'SecretText', 'secret-', '/title', '127.0.0.1']) expect(sent).not.toContain(secret)
})
