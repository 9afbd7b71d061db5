import type { LiveSession } from '../sessions/live-session.ts'
import type { ClientDialog } from './client-dialog.ts'
import { isInput } from './input.ts'
import { watchTabs, type TabEvent, type Tabs } from './tabs.ts'
import type { ActingMessage } from './viewer-message.ts'
import type { Viewer } from './viewer.ts'
import { WatchedTab } from './watched-tab.ts'

/** What a stage needs from the rest of the server. */
export interface LiveViewDeps {
  readonly session: LiveSession
  /** The page that a client drove last. */
  readonly activePage: () => string | undefined
  /** The pages in the order in which they were opened, as far as that is known. */
  readonly openedPages: () => readonly string[]
  /** Calls whenever `activePage` may have changed. Returns a function that stops it. */
  readonly onActivePage: (listener: () => void) => () => void
  /** The dialog that a client was told of and that is still open on a page. */
  readonly openDialog: (page: string) => ClientDialog | undefined
  /** Why a command may not be sent; undefined when it may. */
  readonly refuse: (method: string, params: Readonly<Record<string, unknown>>) => string | undefined
  readonly onError: (error: unknown) => void
}

/** After this long, a page that opens is not taken for the doing of a viewer. */
const openedByViewerMs = 3000

/** Everything there is of the live view of one session while it has viewers. */
export class LiveView implements AsyncDisposable {
  readonly #deps: LiveViewDeps
  readonly #tabs: Tabs
  readonly #viewers = new Set<Viewer>()
  readonly #watched = new Map<string, WatchedTab>()
  readonly #stopFollowing: () => void
  /** The page that was last driven, by a client or a viewer. */
  #active: string | undefined
  #lastActedMs = 0

  private constructor(deps: LiveViewDeps, tabs: Tabs) {
    this.#deps = deps
    this.#tabs = tabs
    this.#active = deps.activePage()
    this.#stopFollowing = deps.onActivePage(() => this.#setActive(deps.activePage()))
  }

  /** Starts to watch the tabs of a session's browser. */
  static async open(deps: LiveViewDeps): Promise<LiveView> {
    let stage: LiveView | undefined
    const tabs = await watchTabs(deps.session.browser.router, deps.openedPages(), (event) => stage?.follow(event))
    stage = new LiveView(deps, tabs)
    return stage
  }

  get size(): number {
    return this.#viewers.size
  }

  /** Takes a viewer in. */
  join(viewer: Viewer): void {
    this.#viewers.add(viewer)
    viewer.notify({ type: 'hello', isInteractive: viewer.isInteractive })
    this.#direct(viewer)
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#leaveTab(viewer)
  }

  /** Acts on a change of the browser's tabs. */
  follow(event: TabEvent): void {
    if (event.kind === 'opened') {
      const isOfViewer = event.opener === this.#active && performance.now() - this.#lastActedMs < openedByViewerMs
      if (isOfViewer) this.#active = event.tab
    }
    if (event.kind === 'closed') this.#forget(event.tab)
    for (const viewer of this.#viewers) this.#direct(viewer)
  }

  /** Shows a viewer one tab, or (null) the active one. */
  show(viewer: Viewer, tab: string | null): void {
    viewer.pinned = tab ?? undefined
    this.#direct(viewer)
    if (viewer.isInteractive && tab !== null) this.#bringToFront(tab)
  }

  /** Does what only an interactive viewer may ask for. It counts as activity of the session. */
  act(viewer: Viewer, message: ActingMessage): void {
    this.#deps.session.touch()
    this.#lastActedMs = performance.now()
    const watched = viewer.shown === undefined ? undefined : this.#watched.get(viewer.shown)
    if (message.type === 'open-tab') return this.#openTab(viewer)
    if (message.type === 'close-tab') return this.#closeTab(viewer, message.tab)
    if (watched === undefined) return
    if (isInput(message)) {
      watched.act(message)
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

  /** A viewer's line or window has changed. */
  adjust(viewer: Viewer): void {
    if (viewer.shown === undefined) return
    this.#watched.get(viewer.shown)?.adjust()
    this.proceed(viewer)
  }

  /** A viewer can take a frame again. */
  proceed(viewer: Viewer): void {
    if (viewer.shown !== undefined) this.#watched.get(viewer.shown)?.proceed()
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
    for (const viewer of this.#viewers) this.#direct(viewer)
  }

  /** Gives a viewer the tab it should see, and tells it of all of them. */
  #direct(viewer: Viewer): void {
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
      // A tab that is gone by now is told of elsewhere.
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

  // A browser with a window draws only the tab in front, so looking at another one is switching to it, as at a desk.
  #bringToFront(tab: string): void {
    if (this.#tabs.has(tab)) this.#ask('Target.activateTarget', { targetId: tab }).catch(this.#deps.onError)
  }

  #openTab(viewer: Viewer): void {
    this.#ask('Target.createTarget', { url: 'about:blank' })
      .then(({ targetId }) => {
        viewer.pinned = undefined
        this.#setActive(String(targetId))
      })
      .catch(this.#deps.onError)
  }

  #closeTab(viewer: Viewer, tab: string): void {
    if (!this.#tabs.has(tab)) return
    if (this.#tabs.list().length === 1) {
      viewer.notify({ type: 'notice', text: 'The last tab stays open: a browser without one has nothing to show' })
      return
    }
    this.#ask('Target.closeTarget', { targetId: tab }).catch(this.#deps.onError)
  }

  async #navigate(
    watched: WatchedTab,
    message: Extract<ActingMessage, { type: 'navigate' | 'history' | 'reload' }>,
  ): Promise<void> {
    if (message.type === 'reload') return void (await watched.call('Page.reload'))
    if (message.type === 'navigate') {
      const params = { url: message.url }
      const refusal = this.#deps.refuse('Page.navigate', params)
      if (refusal !== undefined) throw new Error(refusal)
      const { errorText } = await watched.call('Page.navigate', params)
      if (typeof errorText === 'string') throw new Error(`The page could not be opened: ${errorText}`)
      return
    }
    const history = await watched.call('Page.getNavigationHistory')
    const { currentIndex, entries } = history as { currentIndex: number; entries: readonly { id: number }[] }
    const entry = entries[currentIndex + message.step]
    if (entry !== undefined) await watched.call('Page.navigateToHistoryEntry', { entryId: entry.id })
  }

  async #ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    return this.#deps.session.browser.router.call(method, params, this.#tabs.browserSession)
  }
}
