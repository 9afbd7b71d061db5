import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bowline } from '../client/bowline.ts'
import type { Driver } from '../client/driver.ts'
import { playwright } from '../drivers/playwright.ts'
import { puppeteer } from '../drivers/puppeteer.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { listDescendants, waitUntilGone, type ProcessMark } from './descendants.ts'
import { startDemoSite } from './demo-site.ts'
import { visit, type DemoHandles, type Visit } from './demo-visit.ts'

/** Options of the demo. */
export interface DemoOptions {
  /** URL of the page to drive. Default: the bundled site. The default scheme is https. */
  readonly url?: string | undefined
  /** Browser to use, as for `bowline serve`. Default: an installed browser. */
  readonly browser?: string | undefined
}

/** A session of the demo: the result of its visit and its bill. */
export interface DemoSession extends Visit {
  readonly driver: string
  readonly sessionId: string
  readonly liveViewUrl: string
  readonly sessionDurationMs: number | undefined
  readonly creditsBilled: number | undefined
}

/** Callbacks for the steps of the demo. */
export interface DemoListener {
  readonly onServer: (url: string) => void
  readonly onSession: (session: DemoSession) => void
  /** Called for a driver whose library is not installed. */
  readonly onMissing?: (driver: string, error: BowlineError) => void
}

/** Result of the demo. */
export interface DemoEnd {
  readonly sessions: readonly DemoSession[]
  /** Number of processes that the demo started. */
  readonly started: number
  /** Pids of those that are still running. */
  readonly stillRunning: readonly number[]
}

const goneLimitMs = 10_000

/**
 * Starts a server in this process, drives a page with Playwright and Puppeteer in one session each,
 * and shuts the server down. Throws BAD_REQUEST for an invalid URL, and DRIVER_MISSING if neither
 * library is installed.
 */
export async function runDemo(options: DemoOptions, listener: DemoListener): Promise<DemoEnd> {
  const requestedUrl = options.url === undefined ? undefined : toHttpUrl(options.url)
  const started = new Map<string, ProcessMark>()
  const before = new Set(listDescendants(process.pid).map(keyOf))
  const sessions = await runSessions({ ...options, requestedUrl }, listener, () => {
    for (const mark of listDescendants(process.pid)) if (!before.has(keyOf(mark))) started.set(keyOf(mark), mark)
  })
  const left = await waitUntilGone([...started.values()], goneLimitMs)
  return { sessions, started: started.size, stillRunning: left.map(({ pid }) => pid) }
}

function keyOf({ pid, startTicks }: ProcessMark): string {
  return `${pid} ${startTicks}`
}

function toHttpUrl(text: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  throw new BowlineError('BAD_REQUEST', `"${text}" is not an http: or https: URL`, {
    hint: 'Try `npm run demo -- https://example.com`, or omit the URL to use the bundled site.',
  })
}

async function runSessions(
  { browser, requestedUrl }: { readonly browser?: string | undefined; readonly requestedUrl: string | undefined },
  listener: DemoListener,
  countProcesses: () => void,
): Promise<readonly DemoSession[]> {
  await using site = await startDemoSite()
  // By default browsers reach public addresses only; the bundled site is on loopback.
  // One browser in advance, since the sessions follow each other.
  await using bowline = await Bowline.embedded({ browser, allow: ['127.0.0.1'], warm: 1 })
  listener.onServer(bowline.baseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'bowline-demo-'))
  const sessions: DemoSession[] = []
  const drive = async (driver: Driver<DemoHandles>, boat: string): Promise<void> => {
    const screenshot = `${folder}/${driver.name}.png` as const
    const outcome = await bowline.withSession({ ttl: 120, driver }, async (handles) => {
      const seen = await visit(handles, { siteUrl: site.url, requestedUrl, screenshot, boat })
      countProcesses()
      return seen
    })
    const { result, ...bill } = outcome
    const session = { driver: driver.name, ...result, ...bill }
    sessions.push(session)
    listener.onSession(session)
  }
  const missing: BowlineError[] = []
  for (const [driver, boat] of [
    [playwright, 'Albatross'],
    [puppeteer, 'Kittiwake'],
  ] as const) {
    await drive(driver, boat).catch((error: unknown) => {
      if (!isBowlineError(error) || error.code !== 'DRIVER_MISSING') throw error
      missing.push(error)
      listener.onMissing?.(driver.name, error)
    })
  }
  if (sessions.length === 0) throw missing[0] ?? new Error('The demo ran no session')
  return sessions
}
