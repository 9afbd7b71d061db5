import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { once } from 'node:events'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { startTraceCollector, type ReceivedSpan, type TraceCollector } from '../../../test/lab/trace-collector.ts'

const [clientTrace, clientSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

const fixture = new AsyncDisposableStack()
let collector: TraceCollector
let session: { readonly id: string; readonly cdpUrl: string }
let jobRequestId: string | null

async function batch(lab: Lab, site: Site): Promise<string | null> {
  const started = await lab.api('POST', '/v2/batch/scrape', {
    urls: [site.url('/title?text=A'), site.url('/title?text=B')],
  })
  await expect
    .poll(async () => (await lab.api('GET', `/v2/batch/scrape/${started.body['id']}`)).body['status'], {
      timeout: 15_000,
    })
    .toBe('completed')
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
  session = await first.createSession()
  const { pathname, search } = new URL(session.cdpUrl)
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

/** Returns a span and those below it as `name: [children]`, without those of the database. */
function treeOf(span: ReceivedSpan): object {
  const isQuery = ({ attributes }: ReceivedSpan): boolean => 'db.system.name' in attributes
  const children = childrenOf(span).filter((child) => !isQuery(child))
  return { [span.name]: children.map(treeOf) }
}

function childrenOf({ spanId }: ReceivedSpan): readonly ReceivedSpan[] {
  return collector.spans
    .filter(({ parentId }) => parentId === spanId)
    .toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1))
}

function spansNamed(name: string): readonly ReceivedSpan[] {
  return collector.spans.filter((span) => span.name === name)
}

test('dump', () => {
  for (const span of collector.spans.filter(({ parentId }) => parentId === '' || parentId === clientSpan))
    console.log(
      JSON.stringify({
        tree: treeOf(span),
        attributes: span.attributes,
        links: span.links,
        db: childrenOf(span).map((c) => c.name),
      }),
    )
  console.log(JSON.stringify([...new Set(collector.spans.map((s) => s.name))]))
  console.log(collector.spans[0]?.resource, jobRequestId, session.id, spansNamed('x'))
})
