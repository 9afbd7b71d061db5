import { messageOf } from 'bowline/kit/message-of'
import type { Browser } from '../browsers/launch.ts'
import type { PageFocus } from '../cdp/page-focus.ts'
import type { Handoffs } from '../handoff/handoffs.ts'
import { isInput } from './input.ts'
import { navigateTab, type Refuse } from './navigate-tab.ts'
import type { ServerMessage } from './server-message.ts'
import { PendingMessages } from './pending-messages.ts'
import { TabLists } from './tab-lists.ts'
import { watchTabs, type TabEvent, type Tabs } from './tabs.ts'
import type { InteractMessage } from './viewer-message.ts'
import { encodeMessage, type Viewer } from './viewer.ts'
import { WatchedTab } from './watched-tab.ts'

/** Dependencies of a watched browser. */
export interface WatchedBrowserDeps {
  readonly browser: Pick<Browser, 'router'>
  readonly focus: PageFocus
  readonly handoffs: Pick<Handoffs, 'open' | 'end' | 'onChange'>
  /** Records a use of the session. */
  readonly touch: () => void
  readonly refuse: Refuse
  readonly onError: (error: unknown) => void
}

/** A tab that opens this long after a viewer's last input was not opened by the viewer. */
const openedByViewerMs = 3000

/**
 * Time between two updates of the viewers about tabs, in milliseconds. An update lists all tabs,
 * a page can open hundreds, and a client can switch between them in a loop.
 */
const updateIntervalMs = 250

/** Maximum number of hand-offs that viewers see. A session can have one for each of its pages. */
const maxShownHandoffs = 100

/**
 * Limits of messages that the browser has not responded to. Those to a page that hangs do not keep
 * viewers from closing it.
 */
const inputLimits = { maxMessages: 1000, maxBytes: 16_000_000 }
const commandLimits = { maxMessages: 100, maxBytes: 16_000_000 }

/** The browser of a session while viewers watch it: its tabs, and the tab that each viewer sees. */
export class WatchedBrowser implements AsyncDisposable {
  readonly #deps: WatchedBrowserDeps
  readonly #tabs: Tabs
  readonly #viewers = new Set<Viewer>()
  readonly #watched = new Map<string, WatchedTab>()
  readonly #stopFollowing: () => void
  readonly #stopListening: () => void
  readonly #tabLists = new TabLists()
  readonly #input = new PendingMessages(inputLimits)
  readonly #commands = new PendingMessages(commandLimits)
  /** The tab that a client or a viewer used last. */
  #active: string | undefined
  #lastActedMs = 0
  #isUpdateDue = false
  #haveHandoffsChanged = false
  #updateTimer: NodeJS.Timeout | undefined

  private constructor(deps: WatchedBrowserDeps, tabs: Tabs) {
    this.#deps = deps
    this.#tabs = tabs
    const { focus, handoffs } = deps
    this.#active = focus.page
    this.#stopFollowing = focus.onChange(() => this.#setActive(focus.page))
    this.#stopListening = handoffs.onChange(() => {
      this.#haveHandoffsChanged = true
      this.#updateSoon()
    })
  }

  /** Starts watching the tabs of the browser. */
  static async open(deps: WatchedBrowserDeps): Promise<WatchedBrowser> {
    let watched: WatchedBrowser | undefined
    const tabs = await watchTabs(deps.browser.router, deps.focus.opened, (event) => watched?.handleTabEvent(event))
    watched = new WatchedBrowser(deps, tabs)
    return watched
  }

  /** Adds a viewer. */
  join(viewer: Viewer): void {
    this.#viewers.add(viewer)
    viewer.notify({ type: 'hello', isInteractive: viewer.isInteractive })
    if (this.#deps.handoffs.open.length > 0) viewer.notify(this.#describeHandoffs())
    this.#updateViewer(viewer)
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#leaveTab(viewer)
  }

  /** Updates the viewers soon after the browser's tabs have changed. */
  handleTabEvent(event: TabEvent): void {
    if (event.kind === 'opened') {
      const isOfViewer = event.opener === this.#active && performance.now() - this.#lastActedMs < openedByViewerMs
      if (isOfViewer) this.#active = event.tabId
    }
    if (event.kind === 'closed') this.#forget(event.tabId)
    this.#tabLists.clear()
    this.#updateSoon()
  }

  /** Shows a viewer one tab, or the active one for `null`. */
  show(viewer: Viewer, tabId: string | null): void {
    viewer.pinned = tabId ?? undefined
    // Each switch attaches to a tab, and a viewer can request any number of them.
    this.#updateSoon()
    if (viewer.isInteractive && tabId !== null) this.#commands.tryHandle(0, async () => this.#bringToFront(tabId))
  }

  /**
   * Handles a message that only interactive viewers may send. Counts as activity of the session.
   * Drops it if the browser has not responded to many earlier ones. `bytes`: size of the message.
   */
  handleInput(viewer: Viewer, message: InteractMessage, bytes: number): void {
    this.#deps.touch()
    this.#lastActedMs = performance.now()
    if (message.type === 'end-handoff') return this.#endHandoff(viewer, message)
    const isForPage = isInput(message) || message.type === 'copy' || message.type === 'paste'
    const pending = isForPage ? this.#input : this.#commands
    pending.tryHandle(bytes, async () => this.#handle(viewer, message))
  }

  async #handle(viewer: Viewer, message: Exclude<InteractMessage, { type: 'end-handoff' }>): Promise<void> {
    if (message.type === 'open-tab') return this.#openTab(viewer)
    if (message.type === 'close-tab') return this.#closeTab(viewer, message.tab)
    const watched = viewer.shown === undefined ? undefined : this.#watched.get(viewer.shown)
    if (watched === undefined) return
    if (isInput(message)) {
      const handled = watched.handleInput(message)
      if (message.type !== 'mouse' || message.action === 'down') this.#setActive(viewer.shown)
      return handled
    }
    if (message.type === 'dialog') return watched.dialog.answer(message.isAccepted, message.text)
    if (message.type === 'choose') return watched.selectList.choose(message.option)
    if (message.type === 'copy') return watched.copyFor(viewer)
    this.#setActive(viewer.shown)
    if (message.type === 'paste') return watched.paste(message.text)
    await navigateTab(watched.call, message, this.#deps.refuse).catch((error: unknown) =>
      viewer.notify({ type: 'notice', text: messageOf(error) }),
    )
  }

  /** Updates the screencast after a viewer's window or network quality has changed. */
  updateAudience(viewer: Viewer): void {
    if (viewer.shown === undefined) return
    this.#watched.get(viewer.shown)?.updateAudience()
    this.requestFrame(viewer)
  }

  /** Requests a frame for a viewer that can receive one again. */
  requestFrame(viewer: Viewer): void {
    if (viewer.shown !== undefined) this.#watched.get(viewer.shown)?.requestFrame()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopFollowing()
    this.#stopListening()
    await Promise.all([...this.#watched.values()].map(async (watched) => watched[Symbol.asyncDispose]()))
    this.#watched.clear()
    await this.#tabs[Symbol.asyncDispose]()
    clearTimeout(this.#updateTimer)
  }

  #sendHandoffs(): void {
    this.#haveHandoffsChanged = false
    const message = this.#describeHandoffs()
    const encoded = encodeMessage(message)
    for (const viewer of this.#viewers) viewer.notify(message, encoded)
  }

  #describeHandoffs(): ServerMessage {
    const shown = this.#deps.handoffs.open.slice(0, maxShownHandoffs)
    const handoffs = shown.map(({ id, targetId: tab, instructions }) => ({ id, tab, instructions }))
    return { type: 'handoffs', handoffs }
  }

  #endHandoff(viewer: Viewer, { handoff, isSuccess, note }: Extract<InteractMessage, { type: 'end-handoff' }>): void {
    const reason = note === '' && !isSuccess ? 'The human reported a failure' : note || undefined
    if (this.#deps.handoffs.end(handoff, { isSuccess, endedBy: 'viewer', reason })) return
    viewer.notify({ type: 'notice', text: 'The request for help has already ended' })
  }

  #setActive(tabId: string | undefined): void {
    if (tabId === undefined || tabId === this.#active || !this.#tabs.has(tabId)) return
    this.#active = tabId
    this.#updateSoon()
  }

  #updateSoon(): void {
    this.#isUpdateDue = true
    if (this.#updateTimer === undefined) this.#updateViewers()
  }

  readonly #updateViewers = (): void => {
    this.#updateTimer = undefined
    if (!this.#isUpdateDue) return
    this.#isUpdateDue = false
    this.#updateTimer = setTimeout(this.#updateViewers, updateIntervalMs).unref()
    try {
      if (this.#haveHandoffsChanged) this.#sendHandoffs()
      for (const viewer of this.#viewers) this.#updateViewer(viewer)
    } catch (error) {
      // An uncaught error in a timer would end the process.
      this.#deps.onError(error)
    }
  }

  /** Sends a viewer the list of tabs and switches it to the tab it should see. */
  #updateViewer(viewer: Viewer): void {
    const tabs = this.#tabs.list()
    if (viewer.pinned !== undefined && !this.#tabs.has(viewer.pinned)) viewer.pinned = undefined
    const active = this.#active !== undefined && this.#tabs.has(this.#active) ? this.#active : tabs.at(-1)?.id
    const shown = viewer.pinned ?? active
    const isNew = shown !== viewer.shown
    if (isNew) this.#leaveTab(viewer)
    this.#tabLists.send(viewer, tabs, shown)
    if (!isNew || shown === undefined) return
    viewer.shown = shown
    this.#watch(shown).join(viewer)
  }

  #watch(tabId: string): WatchedTab {
    const existing = this.#watched.get(tabId)
    if (existing !== undefined) return existing
    const { browser, focus, onError } = this.#deps
    const watched = new WatchedTab({
      router: browser.router,
      browserSession: this.#tabs.browserSession,
      tabId,
      clientDialog: () => focus.dialogOf(tabId),
      // If the tab was closed meanwhile, `watchTabs` reports that.
      onTitleOrUrlChange: () => void this.#tabs.refresh().catch(() => undefined),
      onError,
    })
    this.#watched.set(tabId, watched)
    return watched
  }

  #leaveTab(viewer: Viewer): void {
    const tabId = viewer.shown
    if (tabId === undefined) return
    viewer.shown = undefined
    const watched = this.#watched.get(tabId)
    watched?.leave(viewer)
    if (watched?.viewers.size === 0) this.#forget(tabId)
  }

  #forget(tabId: string): void {
    const watched = this.#watched.get(tabId)
    this.#watched.delete(tabId)
    watched?.[Symbol.asyncDispose]().catch(this.#deps.onError)
  }

  // A headful browser renders only its front tab, so watching another tab means switching to it.
  async #bringToFront(tabId: string): Promise<void> {
    if (!this.#tabs.has(tabId)) return
    await this.#tabs.browserSession.call('Target.activateTarget', { targetId: tabId }).catch(this.#deps.onError)
  }

  async #openTab(viewer: Viewer): Promise<void> {
    await this.#tabs.browserSession
      .call('Target.createTarget', { url: 'about:blank' })
      .then(({ targetId }) => {
        viewer.pinned = undefined
        this.#setActive(targetId)
      })
      .catch(this.#deps.onError)
  }

  async #closeTab(viewer: Viewer, tabId: string): Promise<void> {
    if (!this.#tabs.has(tabId)) return
    if (this.#tabs.list().length === 1) {
      viewer.notify({ type: 'notice', text: 'The last tab cannot be closed' })
      return
    }
    await this.#tabs.browserSession.call('Target.closeTarget', { targetId: tabId }).catch(this.#deps.onError)
  }
}
