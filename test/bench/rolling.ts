import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { sendHtml } from '../lab/pages/page.ts'
import { startPostgres } from '../lab/postgres.ts'
import { startServerProcess, type ServerProcess } from '../lab/server-process.ts'
import { startSite } from '../lab/site.ts'
import { temporaryFolder } from '../lab/stores.ts'
import { findFreePort } from '../lab/free-port.ts'
import { atMost, type BenchGroup } from './group.ts'

const slowMs = 300
const retryMs = 250

/** Maximum time for which a client retries a request. */
const patienceMs = 60_000

/** Requests of a client that retries, on another server each time. */
interface Traffic {
  readonly request: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>
  /** Sends requests until `stop` aborts: sessions in one loop, scrapes in another. */
  readonly run: (pageUrl: (index: number) => string, stop: AbortSignal) => Promise<void>
  readonly counts: { requests: number; retries: number; failed: number; longestMs: number }
  readonly answered: { sessions: number; scrapes: number }
}

/** Lost requests and wrong bills when three servers are restarted one after the other. */
export const group: BenchGroup = {
  name: 'rolling',
  about:
    'three servers on one PostgreSQL are restarted one after the other, while clients with retries run a batch, sessions and scrapes',
  run: async ({ isQuick, progress }) => {
    const pages = isQuick ? 150 : 400
    await using undo = new AsyncDisposableStack()
    const postgres = undo.use(await startPostgres())
    const database = undo.use(await postgres.createDatabase())
    const slow = async (exchange: Parameters<typeof sendHtml>[0]): Promise<void> => {
      await sleep(slowMs)
      sendHtml(exchange, 'Slow', '<h1>Slow</h1>')
    }
    const site = undo.use(await startSite({ '/slow': slow }))
    const blobs = undo.use(await temporaryFolder()).path
    const nodes = await Promise.all([1, 2, 3].map(async () => startNode(database.url, blobs)))
    for (const node of nodes) undo.defer(node.stop)
    const traffic = startTraffic(nodes)
    const urls = Array.from({ length: pages }, (_, index) => site.url(`/slow?batch=${index}`))
    const batch = await traffic.request('POST', '/v2/batch/scrape', { urls, formats: ['rawHtml'], maxAge: 0 })
    const stop = new AbortController()
    const running = traffic.run((index) => site.url(`/slow?scrape=${index}`), stop.signal)
    const exitCodes: (number | null)[] = []
    for (const node of nodes) {
      exitCodes.push(await node.restart())
      progress(`  restarted a server: ${JSON.stringify(traffic.counts)}`)
    }
    stop.abort()
    await running
    const documents = await untilDone(traffic, String(batch['id']))
    const { sessions, scrapes } = traffic.answered
    const bills = await readBills(database.url)
    const { requests, retries, failed, longestMs } = traffic.counts
    return [
      { name: 'requests', unit: '', ours: requests },
      { name: 'of which retried', unit: '', ours: retries },
      { name: 'longest request', unit: 'ms', ours: longestMs },
      { name: 'requests lost', unit: '', ours: failed, aim: atMost(0) },
      { name: 'pages of the batch lost', unit: '', ours: pages - documents, aim: atMost(0) },
      { name: 'scrapes billed wrongly', unit: '', ours: Math.abs(bills.scrape - documents - scrapes), aim: atMost(0) },
      { name: 'sessions', unit: '', ours: sessions },
      { name: 'sessions billed wrongly', unit: '', ours: bills.unbilledSessions, aim: atMost(0) },
      { name: 'credits still reserved', unit: '', ours: bills.running, aim: atMost(0) },
      { name: 'servers that failed', unit: '', ours: exitCodes.filter((code) => code !== 0).length, aim: atMost(0) },
    ]
  },
}

interface Node {
  readonly url: () => string
  readonly apiKey: string
  /** Stops the server gracefully and restarts it on the same port. Resolves to the exit code. */
  readonly restart: () => Promise<number | null>
  readonly stop: () => Promise<void>
}

async function startNode(databaseUrl: string, blobs: string): Promise<Node> {
  const folder = await temporaryFolder()
  const port = await findFreePort()
  const flags = ['--port', String(port), '--database-url', databaseUrl, '--blobs', blobs, '--max-host-pages', '48']
  const start = async (): Promise<ServerProcess> =>
    startServerProcess({ dataDir: folder.path, flags: [...flags, '--max-sessions', '8', '--log-level', 'error'] })
  let server = await start()
  return {
    url: () => server.url,
    apiKey: server.apiKey,
    restart: async () => {
      server.kill('SIGTERM')
      const { code } = await server.exited
      server = await start()
      return code
    },
    stop: async () => {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function startTraffic(nodes: readonly Node[]): Traffic {
  const counts = { requests: 0, retries: 0, failed: 0, longestMs: 0 }
  const answered = { sessions: 0, scrapes: 0 }
  let turn = 0
  const request: Traffic['request'] = async (method, path, body) => {
    counts.requests += 1
    const startMs = performance.now()
    const key = crypto.randomUUID()
    while (performance.now() - startMs < patienceMs) {
      const node = nodes[turn++ % nodes.length]!
      const answer = await send(node, { method, path, body, key })
      if (answer !== undefined) {
        counts.longestMs = Math.max(counts.longestMs, Math.round(performance.now() - startMs))
        return answer
      }
      counts.retries += 1
      await sleep(retryMs)
    }
    counts.failed += 1
    return {}
  }
  const run: Traffic['run'] = async (pageUrl, stop) => {
    const runSessions = async (): Promise<void> => {
      while (!stop.aborted) {
        const { id } = await request('POST', '/v2/browser', { ttl: 60 })
        if (typeof id !== 'string') continue
        answered.sessions += 1
        await request('DELETE', `/v2/browser/${id}`)
      }
    }
    const runScrapes = async (): Promise<void> => {
      while (!stop.aborted) {
        const { success } = await request('POST', '/v2/scrape', { url: pageUrl(answered.scrapes), maxAge: 0 })
        if (success === true) answered.scrapes += 1
      }
    }
    await Promise.all([runSessions(), runScrapes(), runScrapes()])
  }
  return { request, run, counts, answered }
}

/** Sends a request once. Resolves to undefined if it should be retried. */
async function send(
  { url, apiKey }: Node,
  { method, path, body, key }: { method: string; path: string; body: object | undefined; key: string },
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(new URL(path, url()), {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'x-idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    // Replaces a session that ended with its server. The previous idempotency key belongs to the
    // ended session.
    if (response.ok || response.status === 410) return answer
    return undefined
  } catch {
    return undefined
  }
}

/** Waits for the end of the batch and counts its documents. */
async function untilDone({ request }: Traffic, id: string): Promise<number> {
  for (;;) {
    const { status, completed } = await request('GET', `/v2/batch/scrape/${id}?limit=1`)
    if (status !== 'scraping') return Number(completed)
    await sleep(retryMs)
  }
}

interface Bills {
  readonly scrape: number
  /** Ended sessions without exactly one bill of their price. */
  readonly unbilledSessions: number
  readonly running: number
}

async function readBills(databaseUrl: string): Promise<Bills> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<Record<keyof Bills, string>>(
      `select (select count(*) from ledger where kind = 'scrape') as "scrape",
        (select count(*) from session where credits_billed is distinct from
          (select sum(credits)::int from ledger where subject_id = session.id and kind = 'session'
          having count(*) = 1)) as "unbilledSessions",
        (select count(*) from hold) as "running"`,
    )
    const { scrape, unbilledSessions, running } = rows[0]!
    return { scrape: Number(scrape), unbilledSessions: Number(unbilledSessions), running: Number(running) }
  } finally {
    await client.end()
  }
}
