import type { Browser, BrowserContext, BrowserType } from '@playwright/test'
import type { Bowline } from '../client/bowline.ts'
import type { Session } from '../client/session.ts'
import type { SessionBill } from '../client/session-bill.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import { playwright } from '../drivers/playwright.ts'
import { createFailureSignal } from '../drivers/failure-signal.ts'
import { openWithRetries } from './open-with-retries.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/** A session with a connected browser, for one test or many. */
export interface TestSession {
  readonly session: Session
  readonly browser: Browser
  /** Opens a context of its own, with all that `use` says. */
  readonly openContext: () => Promise<BrowserContext>
  /** Why the session is lost, if it is. */
  readonly findFailure: () => Promise<string | undefined>
  /** Notes that a test has used it. A failed one keeps the recordings that are kept for failures. */
  readonly addUse: (use: SessionUse) => void
  readonly end: () => Promise<EndedTestSession>
}

/** What one test did with a session. */
export interface SessionUse {
  readonly file: string
  readonly durationMs: number
  readonly hasFailed: boolean
}

/** What a session has cost, and left. */
export interface EndedTestSession {
  readonly bill: SessionBill
  /** Address of the page that plays what was recorded of it. */
  readonly recording: string | undefined
}

/** The same, and what it was used for. */
export interface SessionRecord extends EndedTestSession {
  readonly uses: readonly SessionUse[]
}

/** Opens a session and connects to it. `onEnd` gets the bill and what it was for. */
export async function openTestSession(
  bowline: Bowline,
  options: CreateSessionOptions,
  how: { readonly chromium: BrowserType; readonly onEnd: (record: SessionRecord) => void },
): Promise<TestSession> {
  await using undo = new AsyncDisposableStack()
  const session = undo.use(await openWithRetries(bowline.sessions, options))
  const { browser, context: born } = undo.use(await playwright.with(how.chromium).connect(session))
  const trouble = createFailureSignal()
  browser.on('disconnected', () => trouble.abort('the connection was closed'))
  const owned = undo.move()
  const uses: SessionUse[] = []
  return {
    session,
    browser,
    openContext: async () => {
      const context = await browser.newContext()
      context.on('page', (page) => page.on('crash', () => trouble.abort('a page has crashed')))
      // Once there is another page, since screenshots of a failed test would show the empty one, too.
      context.once('page', () => void Promise.allSettled(born.pages().map((page) => page.close())))
      return context
    },
    findFailure: async () => {
      if (trouble.signal.aborted) return String(trouble.signal.reason.message)
      const found = await bowline.sessions.get(session.id).catch(() => undefined)
      return found?.status === 'active' ? undefined : `session ${session.id} is ${found?.endReason ?? 'out of reach'}`
    },
    addUse: (use) => void uses.push(use),
    end: async () => {
      await browser.close()
      const bill = await session.end({ failed: uses.some(({ hasFailed }) => hasFailed) })
      await owned.disposeAsync()
      const kept = (options.record ?? false) === false ? [] : await session.recordings.list().catch(() => [])
      const recording = kept.find(({ name }) => name === 'player.html')?.url
      how.onEnd({ bill, recording, uses })
      return { bill, recording }
    },
  }
}
