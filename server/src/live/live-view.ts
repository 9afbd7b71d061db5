import type { LiveSession } from '../sessions/live-session.ts'
import type { ClientDialog } from './client-dialog.ts'
import { isInput } from './input.ts'
import { watchTabs, type TabEvent, type Tabs } from './tabs.ts'
import type { InteractMessage } from './viewer-message.ts'
import type { Viewer } from './viewer.ts'
import { WatchedTab } from './watched-tab.ts'

/** Dependencies of a live view. */
export interface LiveViewDeps {
  readonly session: LiveSession
  /** Target id of the page that a client used last. */
  readonly activePage: () => string | undefined
  /** Target ids of the pages whose order of opening is known, oldest first. */
  readonly openedPages: () => readonly string[]
  /**
   * Calls `listener` whenever `activePage` may have changed. Returns a function that unsubscribes.
   */
  readonly onActivePage: (listener: () => void) => () => void
  /** The open dialog of a page that a client was notified of. */
  readonly openDialog: (page: string) => ClientDialog | undefined
  /** Why the command policy refuses a command. `undefined` if it is allowed. */
  readonly refuse: (method: string, params: Readonly<Record<string, unknown>>) => string | undefined
  readonly onError: (error: unknown) => void
}

/** A tab that opens this long after a viewer's last input was not opened by the viewer. */
const openedByViewerMs = 3000

/** The live view of one session. Exists while the session has viewers. */
export class LiveView implements AsyncDisposable {
  readonly #deps: LiveViewDeps
  readonly #tabs: Tabs
  readonly #viewers = new Set<Viewer>()
  readonly #watched = new Map<string, WatchedTab>()
  readonly #stopFollowing: () => void
  /** The tab that a client or a viewer used last. */
  #active: string | undefined
  #lastActedMs = 0

  private constructor(deps: LiveViewDeps, tabs: Tabs) {
    this.#deps = deps
    this.#tabs = tabs
    this.#active = deps.activePage()
    this.#stopFollowing = deps.onActivePage(() => this.#setActive(deps.activePage()))
  }

  /** Starts watching the tabs of a session's browser. */
  static async open(deps: LiveViewDeps): Promise<LiveView> {
    let view: LiveView | undefined
    const tabs = await watchTabs(deps.session.browser.router, deps.openedPages(), (event) =>
      view?.handleTabEvent(event),
    )
    view = new LiveView(deps, tabs)
    return view
  }

  get size(): number {
    return this.#viewers.size
  }

  /** Adds a viewer. */
  join(viewer: Viewer): void {
    this.#viewers.add(viewer)
    viewer.notify({ type: 'hello', isInteractive: viewer.isInteractive })
    this.#updateViewer(viewer)
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#leaveTab(viewer)
  }

  /** Updates the viewers when the browser's tabs change. */
  handleTabEvent(event: TabEvent): void {
    if (event.kind === 'opened') {
      const isOfViewer = event.opener === this.#active && performance.now() - this.#lastActedMs < openedByViewerMs
      if (isOfViewer) this.#active = event.tab
    }
    if (event.kind === 'closed') this.#forget(event.tab)
    for (const viewer of this.#viewers) this.#updateViewer(viewer)
  }

  /** Shows a viewer one tab, or the active one for `null`. */
  show(viewer: Viewer, tab: string | null): void {
    viewer.pinned = tab ?? undefined
    this.#updateViewer(viewer)
    if (viewer.isInteractive && tab !== null) this.#bringToFront(tab)
  }

  /**
   * Handles a message that only interactive viewers may send. Counts as activity of the session.
   */
  handleInput(viewer: Viewer, message: InteractMessage): void {
    this.#deps.session.touch()
    this.#lastActedMs = performance.now()
    const watched = viewer.shown === undefined ? undefined : this.#watched.get(viewer.shown)
    if (message.type === 'open-tab') return this.#openTab(viewer)
    if (message.type === 'close-tab') return this.#closeTab(viewer, message.tab)
    if (watched === undefined) return
    if (isInput(message)) {
      watched.handleInput(message)
      if (message.type !== 'mouse' || message.action === 'down') this.#setActive(viewer.shown)
    } else if (message.type === 'dialog') {
      watched.answerDialog(message.isAccepted, message.text)
    } else if (message.type === 'choose') {
      watched.choose(message.option)
    } else if (message.type === 'copy') {
      void watched.copyFor(viewer)
    } else {
      this.#setActive(viewer.shown)
      this.#navigate(watched, message).catch((error: unknown) =>
        viewer.notify({ type: 'notice', text: error instanceof Error ? error.message : String(error) }),
      )
    }
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
    await Promise.all([...this.#watched.values()].map(async (watched) => watched[Symbol.asyncDispose]()))
    this.#watched.clear()
    await this.#tabs[Symbol.asyncDispose]()
  }

  #setActive(tab: string | undefined): void {
    if (tab === undefined || tab === this.#active || !this.#tabs.has(tab)) return
    this.#active = tab
    for (const viewer of this.#viewers) this.#updateViewer(viewer)
  }

  /** Sends a viewer the list of tabs and switches it to the tab it should see. */
  #updateViewer(viewer: Viewer): void {
    const tabs = this.#tabs.list()
    if (viewer.pinned !== undefined && !this.#tabs.has(viewer.pinned)) viewer.pinned = undefined
    const active = this.#active !== undefined && this.#tabs.has(this.#active) ? this.#active : tabs.at(-1)?.id
    const shown = viewer.pinned ?? active
    const isNew = shown !== viewer.shown
    if (isNew) this.#leaveTab(viewer)
    viewer.notify({ type: 'tabs', tabs, shown, isFollowing: viewer.pinned === undefined })
    if (!isNew || shown === undefined) return
    viewer.shown = shown
    this.#watch(shown).join(viewer)
  }

  #watch(tab: string): WatchedTab {
    const existing = this.#watched.get(tab)
    if (existing !== undefined) return existing
    const { router } = this.#deps.session.browser
    const { onError } = this.#deps
    const watched = new WatchedTab({
      router,
      browserSession: this.#tabs.browserSession,
      tab,
      clientDialog: () => this.#deps.openDialog(tab),
      // If the tab was closed meanwhile, `watchTabs` reports that.
      onTitleOrUrlChange: () => void this.#tabs.refresh(tab).catch(() => undefined),
      onError,
    })
    this.#watched.set(tab, watched)
    return watched
  }

  #leaveTab(viewer: Viewer): void {
    const tab = viewer.shown
    if (tab === undefined) return
    viewer.shown = undefined
    const watched = this.#watched.get(tab)
    watched?.leave(viewer)
    if (watched?.viewers.size === 0) this.#forget(tab)
  }

  #forget(tab: string): void {
    const watched = this.#watched.get(tab)
    this.#watched.delete(tab)
    watched?.[Symbol.asyncDispose]().catch(this.#deps.onError)
  }

  // A headful browser renders only its front tab, so watching another tab means switching to it.
  #bringToFront(tab: string): void {
    if (this.#tabs.has(tab)) this.#callBrowser('Target.activateTarget', { targetId: tab }).catch(this.#deps.onError)
  }

  #openTab(viewer: Viewer): void {
    this.#callBrowser('Target.createTarget', { url: 'about:blank' })
      .then(({ targetId }) => {
        viewer.pinned = undefined
        this.#setActive(String(targetId))
      })
      .catch(this.#deps.onError)
  }

  #closeTab(viewer: Viewer, tab: string): void {
    if (!this.#tabs.has(tab)) return
    if (this.#tabs.list().length === 1) {
      viewer.notify({ type: 'notice', text: 'The last tab cannot be closed' })
      return
    }
    this.#callBrowser('Target.closeTarget', { targetId: tab }).catch(this.#deps.onError)
  }

  async #navigate(
    watched: WatchedTab,
    message: Extract<InteractMessage, { type: 'navigate' | 'history' | 'reload' }>,
  ): Promise<void> {
    if (message.type === 'reload') return void (await watched.call('Page.reload'))
    if (message.type === 'navigate') {
      const params = { url: message.url }
      const refusal = this.#deps.refuse('Page.navigate', params)
      if (refusal !== undefined) throw new Error(refusal)
      const { errorText } = await watched.call('Page.navigate', params)
      if (typeof errorText === 'string') throw new Error(`Navigation failed: ${errorText}`)
      return
    }
    const history = await watched.call('Page.getNavigationHistory')
    const { currentIndex, entries } = history as { currentIndex: number; entries: readonly { id: number }[] }
    const entry = entries[currentIndex + message.step]
    if (entry !== undefined) await watched.call('Page.navigateToHistoryEntry', { entryId: entry.id })
  }

  async #callBrowser(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    return this.#deps.session.browser.router.call(method, params, this.#tabs.browserSession)
  }
}
