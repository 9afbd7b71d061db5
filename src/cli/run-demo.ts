import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bowline } from '../client/bowline.ts'
import type { Driver } from '../client/driver.ts'
import { playwright } from '../drivers/playwright.ts'
import { puppeteer } from '../drivers/puppeteer.ts'
import { BowlineError } from '../kit/errors.ts'
import { listDescendants, waitUntilGone, type ProcessMark } from './child-processes.ts'
import { startDemoSite } from './demo-site.ts'
import { visit, type DemoHandles, type Visit } from './demo-visit.ts'

/** What the demo is run with. */
export interface DemoOptions {
  /** Page to drive. Default: the bundled site. A missing scheme means https. */
  readonly url?: string | undefined
  /** Browser to use, as for `serve`. Default: what is found. */
  readonly browser?: string | undefined
}

/** One session of the demo: what it saw and what it cost. */
export interface DemoSession extends Visit {
  readonly driver: string
  readonly sessionId: string
  readonly liveViewUrl: string
  readonly sessionDurationMs: number | undefined
  readonly creditsBilled: number | undefined
}

/** Hears of the demo's steps as they happen. */
export interface DemoListener {
  readonly onServer: (url: string) => void
  readonly onSession: (session: DemoSession) => void
}

/** What the demo left behind: nothing, when all went well. */
export interface DemoEnd {
  readonly sessions: readonly DemoSession[]
  /** Processes the demo had started. */
  readonly started: number
  /** Those of them that still run. */
  readonly stillRunning: readonly number[]
}

const goneLimitMs = 10_000

/**
 * Starts a server in this process, drives a page with Playwright and with Puppeteer, each in a session of its own, and
 * takes it all down again. Throws BAD_REQUEST for an address that is none.
 */
export async function runDemo(options: DemoOptions, listener: DemoListener): Promise<DemoEnd> {
  const wantedUrl = options.url === undefined ? undefined : toHttpUrl(options.url)
  const started = new Map<string, ProcessMark>()
  const sessions = await runSessions({ ...options, wantedUrl }, listener, () => {
    for (const mark of listDescendants(process.pid)) started.set(`${mark.pid} ${mark.startTicks}`, mark)
  })
  const left = await waitUntilGone([...started.values()], goneLimitMs)
  return { sessions, started: started.size, stillRunning: left.map(({ pid }) => pid) }
}

function toHttpUrl(text: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  throw new BowlineError('BAD_REQUEST', `"${text}" is not an http or https address`, {
    hint: 'Try `npm run demo -- https://example.com`, or give no address for the bundled site.',
  })
}

async function runSessions(
  { browser, wantedUrl }: { readonly browser?: string | undefined; readonly wantedUrl: string | undefined },
  listener: DemoListener,
  countProcesses: () => void,
): Promise<readonly DemoSession[]> {
  await using site = await startDemoSite()
  // Servers let browsers reach public addresses only; the bundled site is on this machine.
  await using bowline = await Bowline.embedded({ browser, allow: ['127.0.0.1'] })
  listener.onServer(bowline.baseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'bowline-demo-'))
  const sessions: DemoSession[] = []
  const drive = async (driver: Driver<DemoHandles>, boat: string): Promise<void> => {
    const screenshot = `${folder}/${driver.name}.png` as const
    const outcome = await bowline.withSession({ ttl: 120, driver }, async (handles) => {
      const seen = await visit(handles, { siteUrl: site.url, wantedUrl, screenshot, boat })
      countProcesses()
      return seen
    })
    const { result, ...bill } = outcome
    const session = { driver: driver.name, ...result, ...bill }
    sessions.push(session)
    listener.onSession(session)
  }
  await drive(playwright, 'Albatross')
  await drive(puppeteer, 'Kittiwake')
  return sessions
}
