import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { setTimeout as sleep } from 'node:timers/promises'
import { BowlineError } from '../../kit/errors.ts'
import { PageSnapshots } from '../snapshot/page-snapshots.ts'
import { PageLog } from './page-log.ts'

/** A tab with its log and its snapshots. */
export interface Tab {
  readonly page: Page
  readonly tabs: Pick<Tabs, 'whenAnnounced'>
  readonly log: PageLog
  readonly snapshots: PageSnapshots
}

/** The tabs of a session, one of which is selected. A tab that a page opens becomes selected. */
export class Tabs {
  readonly #context: BrowserContext
  readonly #cdp: CDPSession
  readonly #tabs: Tab[] = []
  #selected: Tab | undefined

  constructor(context: BrowserContext, page: Page, cdp: CDPSession) {
    this.#context = context
    this.#cdp = cdp
    for (const open of context.pages()) this.#track(open)
    context.on('page', (opened) => (this.#selected = this.#track(opened)))
    this.#selected = this.#find(page)
  }

  get all(): readonly Tab[] {
    return this.#tabs
  }

  /** The selected tab. Opens one if all were closed. */
  async current(): Promise<Tab> {
    this.#selected ??= this.#tabs.at(-1)
    return this.#selected ?? this.open()
  }

  /** Whether a tab is the selected one. */
  isSelected(tab: Tab): boolean {
    return tab === this.#selected
  }

  /** Opens a tab and selects it. */
  async open(): Promise<Tab> {
    const page = await this.#context.newPage()
    this.#selected = this.#find(page) ?? this.#track(page)
    return this.#selected
  }

  /** Selects a tab by its position. Throws BAD_REQUEST if there is none. */
  async select(index: number): Promise<Tab> {
    const tab = this.at(index)
    await tab.page.bringToFront()
    this.#selected = tab
    return tab
  }

  /** Returns the tab at a position. Throws BAD_REQUEST if there is none. */
  at(index: number): Tab {
    const tab = this.#tabs[index]
    if (tab !== undefined) return tab
    throw new BowlineError('BAD_REQUEST', `There is no tab ${index}`, {
      hint: 'Call browser_tabs with the action `list`.',
    })
  }

  /** Waits for tabs that exist already, and that Playwright has not announced yet. */
  async whenAnnounced(): Promise<void> {
    const { targetInfos } = await this.#cdp.send('Target.getTargets')
    const count = targetInfos.filter(({ type }) => type === 'page').length
    if (count > this.#tabs.length) await this.#context.waitForEvent('page', { timeout: announceLimitMs })
  }

  #find(page: Page): Tab | undefined {
    return this.#tabs.find((tab) => tab.page === page)
  }

  #track(page: Page): Tab {
    const tab = { page, tabs: this, log: new PageLog(page), snapshots: new PageSnapshots(page) }
    this.#tabs.push(tab)
    // A crashed page cannot be used or reloaded.
    page.on('crash', () => void page.close().catch(() => undefined))
    page.on('close', () => {
      this.#tabs.splice(this.#tabs.indexOf(tab), 1)
      if (this.#selected === tab) this.#selected = undefined
    })
    return tab
  }
}

/**
 * Runs an action on a tab, and waits until the page has reacted: until a navigation that it started
 * has loaded, and its requests have ended. Returns early if the action opens a dialog, which blocks
 * the page.
 */
export async function actOn(tab: Tab, action: () => Promise<unknown>): Promise<void> {
  const ending = new AbortController()
  const acting = action().then(async () => settle(tab))
  // The action ends only after the dialog was handled.
  acting.catch(() => undefined)
  try {
    await Promise.race([acting, tab.log.untilDialog(ending.signal)])
  } finally {
    ending.abort()
  }
}

const announceLimitMs = 5000
const settleLimitMs = 3000
const checkMs = 50
const frameLimitMs = 1000

/** Waits for two frames of a page, in which clicks start requests, and for the end of scrolling. */
const untilScrolled = `new Promise((resolve) => {
  const check = (before) => requestAnimationFrame(() => requestAnimationFrame(() =>
    scrollY === before ? resolve() : check(scrollY)))
  check(scrollY)
})`

/** Waits until a page has no running requests, but not for long. Pages that poll never end. */
async function settle({ page, log, tabs }: Tab): Promise<void> {
  const limit = AbortSignal.timeout(settleLimitMs)
  const isDone = (): boolean => limit.aborted || page.isClosed() || log.dialog !== undefined
  // Frames are not drawn in hidden tabs.
  await Promise.race([page.evaluate(untilScrolled), sleep(frameLimitMs)]).catch(() => undefined)
  await tabs.whenAnnounced().catch(() => undefined)
  while (log.isLoading && !isDone()) await sleep(checkMs)
  if (isDone()) return
  await page.waitForLoadState('domcontentloaded', { timeout: settleLimitMs }).catch(() => undefined)
}
