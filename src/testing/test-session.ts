import type { Browser, BrowserContext, BrowserType } from '@playwright/test'
import type { Bowline } from '../client/bowline.ts'
import type { Session } from '../client/session.ts'
import type { SessionBill } from '../client/session-bill.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import { playwright } from '../drivers/playwright.ts'
import { createTrouble } from '../drivers/trouble.ts'
import { openPatiently } from './open-patiently.ts'

/** A session with a connected browser, for one test or many. */
export interface TestSession {
  readonly session: Session
  readonly browser: Browser
  /** Opens a context of its own, with all that `use` says. */
  readonly openContext: () => Promise<BrowserContext>
  /** Why the session is lost, if it is. */
  readonly findTrouble: () => Promise<string | undefined>
  /** Notes that a test of this file has used it for so many milliseconds. */
  readonly addUse: (file: string, durationMs: number) => void
  readonly end: () => Promise<SessionBill>
}

/** What a session was used for, and what it has cost. */
export interface SessionRecord {
  readonly bill: SessionBill
  readonly uses: readonly { readonly file: string; readonly durationMs: number }[]
}

/** Opens a session and connects to it. `onEnd` gets the bill and what it was for. */
export const openTestSession = async (
  bowline: Bowline,
  options: CreateSessionOptions,
  how: { readonly chromium: BrowserType; readonly onEnd: (record: SessionRecord) => void },
): Promise<TestSession> => {
  await using undo = new AsyncDisposableStack()
  const session = undo.use(await openPatiently(bowline.sessions, options))
  const { browser } = undo.use(await playwright.with(how.chromium).connect(session))
  const trouble = createTrouble()
  browser.on('disconnected', () => trouble.abort('the connection was closed'))
  const owned = undo.move()
  const uses: { file: string; durationMs: number }[] = []
  return {
    session,
    browser,
    openContext: async () => {
      const context = await browser.newContext()
      context.on('page', (page) => page.on('crash', () => trouble.abort('a page has crashed')))
      return context
    },
    findTrouble: async () => {
      if (trouble.signal.aborted) return String(trouble.signal.reason.message)
      const found = await bowline.sessions.get(session.id).catch(() => undefined)
      return found?.status === 'active' ? undefined : `session ${session.id} is ${found?.endReason ?? 'out of reach'}`
    },
    addUse: (file, durationMs) => void uses.push({ file, durationMs }),
    end: async () => {
      await owned.disposeAsync()
      const bill = session.bill ?? (await session.end())
      how.onEnd({ bill, uses })
      return bill
    },
  }
}
