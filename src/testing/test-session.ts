import type { Browser, BrowserContext, BrowserType } from '@playwright/test'
import type { Bowline } from '../client/bowline.ts'
import type { Session, SessionBill } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { describeEndReason } from '../client/connection-lost.ts'
import { disconnect } from '../client/disconnect.ts'
import { playwright } from '../drivers/playwright.ts'
import { openWithRetries } from './open-with-retries.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'
import type { BowlineError } from '../kit/errors.ts'

/** A session with a connected browser, for one or several tests. */
export interface TestSession {
  readonly session: Session
  readonly browser: Browser
  /** Time of `performance.now()`. */
  readonly openedAt: number
  /** Opens a new context with the options of `use`. */
  readonly openContext: () => Promise<BrowserContext>
  /**
   * Returns why the session was lost, or that a page has crashed since a time of
   * `performance.now()`. `undefined` if neither is the case.
   */
  readonly findSessionLoss: (startedAt: number) => Promise<string | undefined>
  /**
   * Records that a test has used the session. After a failed one, recordings for failures are kept.
   * `onRecording` receives the link to the recordings when the session has ended.
   */
  readonly addUse: (use: SessionUse, onRecording: (link: string) => void) => void
  readonly end: () => Promise<EndedTestSession>
}

/** Use of a session by one test. */
export interface SessionUse {
  readonly file: string
  /** Title of the test, with those of its groups. */
  readonly title: string
  /** Start of the test in seconds after that of the session. */
  readonly startSeconds: number
  readonly durationMs: number
  readonly hasFailed: boolean
}

/** Bill and recording of an ended session. */
export interface EndedTestSession {
  readonly bill: SessionBill
  /** URL of the page that plays the recordings. */
  readonly recording: string | undefined
}

/** Ended session with its uses. */
export interface SessionReport extends EndedTestSession {
  readonly uses: readonly SessionUse[]
}

/** Opens a session and connects to it. `onEnd` receives its report. */
export async function openTestSession(
  bowline: Bowline,
  options: CreateSessionOptions,
  deps: { readonly chromium: BrowserType; readonly onEnd: (report: SessionReport) => void },
): Promise<TestSession> {
  await using undo = new AsyncDisposableStack()
  const session = undo.use(await openWithRetries(bowline.sessions, options, { onLongWait: printWait }))
  const openedAt = performance.now()
  let lost: BowlineError | undefined
  const onLost = (error: BowlineError): void => void (lost = error)
  const connected = undo.use(await playwright.with(deps.chromium).connect(session, { onLost }))
  const { browser, context: defaultContext } = connected
  let lossReason: string | undefined
  /** Time of the last crash of a page. The session goes on without the page. */
  let crashedAt = -Infinity
  browser.on('disconnected', () => (lossReason ??= 'the connection was closed'))
  undo.move()
  const uses: (readonly [SessionUse, onRecording: (link: string) => void])[] = []
  return {
    session,
    browser,
    openedAt,
    openContext: async () => {
      const context = await browser.newContext()
      context.on('page', (page) => page.on('crash', () => (crashedAt = performance.now())))
      // Close the initial page once there is another one: screenshots of failed tests would include
      // it.
      context.once('page', () => void Promise.allSettled(defaultContext.pages().map((page) => page.close())))
      return context
    },
    findSessionLoss: async (startedAt) => {
      if (lost !== undefined) return lost.message
      if (lossReason === undefined && crashedAt >= startedAt) return 'a page crashed'
      // A server that does not respond makes the session unreachable.
      const found = await bowline.sessions.get(session.id).catch(() => undefined)
      if (found?.endReason !== undefined) return describeEndReason(found.endReason)
      if (lossReason !== undefined) return lossReason
      return found?.status === 'active' ? undefined : `session ${session.id} is unreachable`
    },
    addUse: (use, onRecording) => void uses.push([use, onRecording]),
    end: async () => {
      await disconnect(connected)
      const bill = await session.end({ failed: uses.some(([{ hasFailed }]) => hasFailed) })
      // The test must not fail because its recordings cannot be listed.
      const kept = (options.record ?? false) === false ? [] : await session.recordings.list().catch(() => [])
      const recording = kept.find(({ name }) => name === 'player.html')?.url
      const report = { bill, recording, uses: uses.map(([use]) => use) }
      // Reaches the report of a shared session's last test if that failed, which ends the worker.
      for (const [use, onRecording] of uses) {
        const link = linkToUse(report, use)
        if (link !== undefined) onRecording(link)
      }
      deps.onEnd(report)
      return { bill, recording }
    },
  }
}

/** Returns the link to the recordings of a session, which plays them from the start of a test. */
export function linkToUse({ recording, uses }: Omit<SessionReport, 'bill'>, use: SessionUse): string | undefined {
  return recording === undefined || uses.length === 1 ? recording : `${recording}#t=${use.startSeconds.toFixed(1)}`
}

function printWait(position: number | undefined): void {
  const queue = position === undefined ? '' : ` (position ${position})`
  console.warn(`Bowline: waiting for a free session${queue}`)
}
