import { Inspection, type InspectionDeps } from './inspection.ts'
import type { Refuse } from './navigate-tab.ts'
import type { Viewer } from './viewer.ts'
import { ViewerBuffers } from './viewer-buffers.ts'
import { WatchedBrowser, type WatchedBrowserDeps } from './watched-browser.ts'

/** The session that a live view shows. */
export interface ViewedSession extends Pick<WatchedBrowserDeps, 'browser' | 'focus' | 'handoffs' | 'touch'> {
  /** Masks secrets in console messages and requests. */
  readonly mask: InspectionDeps['mask']
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
}

/** Dependencies of a live view. */
export interface LiveViewDeps {
  readonly session: ViewedSession
  readonly refuse: Refuse
  readonly onError: (error: unknown) => void
}

/** The live view of one session. Its browser is watched only while there are viewers. */
export class LiveView implements AsyncDisposable {
  /** Memory for what its viewers have not received. */
  readonly buffers = new ViewerBuffers()
  readonly #deps: LiveViewDeps
  readonly #viewers = new Set<Viewer>()
  readonly #inspectors = new Set<Viewer>()
  #watched: Promise<WatchedBrowser> | undefined
  #inspection: Promise<Inspection> | undefined

  constructor(deps: LiveViewDeps) {
    this.#deps = deps
  }

  /**
   * Adds a viewer, and resolves to the browser that it now sees. Resolves to `undefined` if the
   * viewer has left or the session has ended in the meantime.
   */
  async join(viewer: Viewer): Promise<WatchedBrowser | undefined> {
    const { ended } = this.#deps.session
    if (ended.aborted) return undefined
    this.#viewers.add(viewer)
    this.#watched ??= this.#watch()
    const watched = await this.#watched
    if (!this.#viewers.has(viewer) || ended.aborted) return undefined
    watched.join(viewer)
    return watched
  }

  /**
   * Starts or stops sending console messages and requests to a viewer. The browser is inspected
   * only while a viewer wants it. Rejects with CDP_FAILED if the browser is gone.
   */
  async inspect(viewer: Viewer, isOn: boolean): Promise<void> {
    const { session, onError } = this.#deps
    const { browser, mask } = session
    if (!isOn) return this.#stopInspecting(viewer)
    if (session.ended.aborted || this.#inspectors.has(viewer)) return
    this.#inspectors.add(viewer)
    const opening = (this.#inspection ??= Inspection.open({ browser, mask, onError }))
    try {
      const inspection = await opening
      if (this.#inspectors.has(viewer)) inspection.join(viewer)
    } catch (error) {
      this.#inspectors.delete(viewer)
      if (this.#inspection === opening) this.#inspection = undefined
      throw error
    }
  }

  /** Removes a viewer. Stops watching the browser after the last one. */
  async leave(viewer: Viewer): Promise<void> {
    this.#viewers.delete(viewer)
    await this.#stopInspecting(viewer)
    if (this.#viewers.size === 0) return this.#stopWatching()
    const watched = await this.#watched?.catch(() => undefined)
    watched?.leave(viewer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#viewers.clear()
    this.#inspectors.clear()
    await Promise.all([this.#stopWatching(), this.#closeInspection()])
  }

  async #stopInspecting(viewer: Viewer): Promise<void> {
    this.#inspectors.delete(viewer)
    if (this.#inspectors.size === 0) return this.#closeInspection()
    const inspection = await this.#inspection?.catch(() => undefined)
    inspection?.leave(viewer)
  }

  async #closeInspection(): Promise<void> {
    // A browser that could not be attached to needs no cleanup.
    const inspection = this.#inspection?.catch(() => undefined)
    this.#inspection = undefined
    await (await inspection)?.[Symbol.asyncDispose]()
  }

  async #watch(): Promise<WatchedBrowser> {
    const { session, refuse, onError } = this.#deps
    const { browser, focus, handoffs, touch } = session
    return WatchedBrowser.open({
      browser,
      focus,
      handoffs,
      touch,
      refuse,
      onError: (error) => {
        if (!session.ended.aborted) onError(error)
      },
    })
  }

  async #stopWatching(): Promise<void> {
    // A browser that could not be watched needs no cleanup. Its viewers have received the error.
    const watched = this.#watched?.catch(() => undefined)
    this.#watched = undefined
    await (await watched)?.[Symbol.asyncDispose]()
  }
}
