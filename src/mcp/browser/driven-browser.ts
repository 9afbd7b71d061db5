import type { Browser } from 'playwright-core'
import type { SessionBill } from '../../client/session.ts'
import { createSessionFiles, type SessionFiles } from '../../client/session-files.ts'
import { connectBrowser } from '../../drivers/connect.ts'
import { abortable } from '../../kit/abort.ts'
import { AsyncDisposableStack } from '../../kit/disposable-stack.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Chromium } from '../load-packages.ts'
import type { HumanHelp } from './human-help.ts'
import { Tabs } from './tabs.ts'
import { TypedSecrets } from './typed-secrets.ts'

/** The tabs of a session, connected with Playwright. */
export interface ConnectedTabs {
  readonly browser: Browser
  /** Whether the browser responds. A connection counts as connected until its end is noticed. */
  readonly isResponding: () => Promise<boolean>
  readonly tabs: Tabs
  readonly files: SessionFiles
  readonly secrets: TypedSecrets
}

/** A browser as tools use it. */
export interface OpenBrowser extends Omit<ConnectedTabs, 'browser' | 'isResponding'> {
  readonly human: HumanHelp
  readonly interactiveLiveViewUrl: string
}

/** A browser that tools drive, one call after another. */
export interface DrivenBrowser {
  /** Runs `work` with the browser, after earlier calls have ended. Connects if necessary. */
  readonly use: <Result>(work: (browser: OpenBrowser) => Promise<Result>) => Promise<Result>
  /** Ends the session. Returns its bill, or `undefined` if none is open. */
  readonly end: () => Promise<SessionBill | undefined>
}

/** Options of `connectTabs`. */
export interface ConnectTabsOptions {
  /** Whether secrets were typed in the session before. Default: false. */
  readonly hasTypedSecrets?: boolean
  readonly signal: AbortSignal
}

/** Connects to the CDP URL of a session. Throws DRIVER_FAILED. */
export async function connectTabs(
  connectUrl: string,
  chromium: Chromium,
  { hasTypedSecrets = false, signal }: ConnectTabsOptions,
): Promise<ConnectedTabs> {
  const connecting = chromium.connectOverCDP(connectUrl)
  const browser = await connectBrowser('Playwright', connecting, (late) => late.close(), signal)
  await using undo = new AsyncDisposableStack()
  undo.defer(async () => browser.close())
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const page = context.pages().at(-1) ?? (await context.newPage())
  if (typeof page.ariaSnapshotJSON !== 'function') {
    throw new BowlineError('DRIVER_FAILED', 'The installed Playwright is too old for the browser tools', {
      hint: 'npm install playwright-core@latest',
    })
  }
  context.setDefaultTimeout(actionTimeoutMs)
  const cdp = await browser.newBrowserCDPSession()
  undo.move()
  return {
    browser,
    isResponding: async () => {
      const response = cdp.send('Browser.getVersion').then(() => true)
      return abortable(response, AbortSignal.timeout(actionTimeoutMs)).catch(() => false)
    },
    tabs: new Tabs(context, page, cdp),
    files: createSessionFiles(connectUrl),
    secrets: new TypedSecrets(cdp, hasTypedSecrets),
  }
}

const actionTimeoutMs = 10_000
