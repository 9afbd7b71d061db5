import { isBowlineError } from 'bowline/kit/errors'
import type { CdpCall, CdpEvent } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { Screencast, type Frame } from '../cdp/screencast.ts'
import { attachToTarget, type CdpSession } from '../cdp/targets.ts'
import type { PageAccess } from '../cdp/page-access.ts'
import type { OpenDialog } from '../cdp/page-focus.ts'
import { InputOrder } from './input-order.ts'
import { pressKey, sendInput, type InputMessage } from './input.ts'
import { pasteText } from './paste-text.ts'
import { qualities } from './quality.ts'
import { readSelection } from './read-selection.ts'
import { SelectList } from './select-list.ts'
import type { ServerMessage } from './server-message.ts'
import { TabDialog } from './tab-dialog.ts'
import type { Viewer } from './viewer.ts'

/** Dependencies of a watched tab. */
export interface WatchedTabDeps {
  readonly router: CdpRouter
  readonly browserSession: CdpSession
  readonly tabId: string
  /** The dialog that opened before this tab was watched. */
  readonly clientDialog: () => OpenDialog | undefined
  /** Called when the title or URL may have changed, at most twice a second. */
  readonly onTitleOrUrlChange: () => void
  readonly onError: (error: unknown) => void
}

/** A tab with at least one viewer. Sends its frames to the viewers and their input to the page. */
export class WatchedTab implements AsyncDisposable {
  readonly viewers = new Set<Viewer>()
  readonly dialog: TabDialog
  readonly selectList: SelectList
  readonly #deps: WatchedTabDeps
  readonly #session: Promise<CdpSession>
  readonly #page: PageAccess
  readonly #inputOrder = new InputOrder()
  readonly #screencast: Screencast
  readonly #resources = new DisposableStack()
  #lastFrame: Frame | undefined
  #refreshTimer: NodeJS.Timeout | undefined

  constructor(deps: WatchedTabDeps) {
    this.#deps = deps
    this.#screencast = new Screencast({
      call: this.call,
      qualities,
      onFrame: (frame) => this.#show(frame),
      isFrameWanted: () => [...this.viewers].some((viewer) => viewer.isReady),
      onError: this.#reportError,
    })
    const { router, browserSession, clientDialog } = deps
    this.#page = { call: this.call, attachToFrame: async (frameId) => attachToTarget(router, frameId, browserSession) }
    this.dialog = new TabDialog({
      router,
      call: this.call,
      clientDialog,
      onChange: (dialog) => this.#notify({ type: 'dialog', dialog }),
    })
    this.selectList = new SelectList({
      page: this.#page,
      press: (key) => void pressKey(this.call, key).catch(this.#reportInputError),
      notify: (message) => this.#notify(message),
    })
    const titleTimer = setInterval(deps.onTitleOrUrlChange, titlePollMs).unref()
    this.#resources.defer(() => clearInterval(titleTimer))
    this.#resources.defer(() => clearTimeout(this.#refreshTimer))
    this.#resources.defer(() => this.#screencast.end())
    this.#session = attachToTarget(router, deps.tabId, browserSession)
    this.#start().catch(this.#reportError)
  }

  /** Adds a viewer and sends it the current state. */
  join(viewer: Viewer): void {
    this.viewers.add(viewer)
    viewer.forgetFrames()
    viewer.notify({ type: 'dialog', dialog: this.dialog.current })
    viewer.notify({ type: 'choices', choices: null })
    if (this.#lastFrame !== undefined) viewer.queueFrame(this.#lastFrame)
    this.updateAudience()
  }

  leave(viewer: Viewer): void {
    this.viewers.delete(viewer)
    this.updateAudience()
  }

  /** Fits the size and quality of the screencast to the visible viewers. */
  updateAudience(): void {
    const visible = [...this.viewers].filter((viewer) => viewer.isVisible)
    if (visible.length === 0) return this.#screencast.setAudience(undefined)
    this.#screencast.setAudience({
      width: roundUp(Math.max(...visible.map((viewer) => viewer.width))),
      height: roundUp(Math.max(...visible.map((viewer) => viewer.height))),
      level: Math.min(...visible.map((viewer) => viewer.level)),
    })
  }

  /** Requests the next frame if a viewer is ready for it. */
  requestFrame(): void {
    this.#screencast.requestFrame()
  }

  /** Sends a command to the page. */
  readonly call: CdpCall = async (method, ...args) => (await this.#session).call(method, ...args)

  /**
   * Sends a viewer's input to the page, in order and without waiting for earlier responses, except
   * for those to copies and pastes. Resolves when the page has handled it. Never rejects.
   */
  async handleInput(message: InputMessage): Promise<void> {
    if (message.type === 'mouse' && message.action === 'down') this.selectList.close()
    const handled = this.#inputOrder.send(async () => sendInput(this.call, message).catch(this.#reportInputError))
    if (message.type === 'mouse' && message.action === 'up' && message.button === 'left') {
      await this.selectList.openAt(message)
    }
    await handled
  }

  /**
   * Sends the selected text to a viewer, before later input can change the selection. Sends nothing
   * if none is selected, or if the page fails or takes longer than a second.
   */
  async copyFor(viewer: Viewer): Promise<void> {
    await this.#inputOrder.run(async (late) => {
      // The page may be navigating or have crashed.
      const text = await readSelection(this.#page).catch(() => '')
      if (text !== '' && !late.aborted) viewer.notify({ type: 'clipboard', text })
    })
  }

  /**
   * Pastes a text before later input is handled, or not at all if the page takes longer than a
   * second. Never rejects.
   */
  async paste(text: string): Promise<void> {
    await this.#inputOrder.run(async (late) => pasteText(this.#page, text, late).catch(this.#reportInputError))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#resources.dispose()
    // A tab that could not be watched has nothing to detach from.
    const session = await this.#session.catch(() => undefined)
    await session?.[Symbol.asyncDispose]()
  }

  readonly #reportError = (error: unknown): void => {
    // When a tab closes, its session is detached and pending calls fail.
    if (!this.#resources.disposed) this.#deps.onError(error)
  }

  /**
   * Ignores that the browser refuses input, as it does a touch that continues none: viewers can
   * cause that a thousand times per second.
   */
  readonly #reportInputError = (error: unknown): void => {
    if (!isBowlineError(error) || error.code !== 'CDP_FAILED') this.#reportError(error)
  }

  async #start(): Promise<void> {
    const session = await this.#session
    if (this.#resources.disposed) return
    this.#resources.defer(session.onEvent((event) => this.#handleEvent(event)))
    // Only sessions that enabled `Page` before a dialog opened can handle it.
    await session.call('Page.enable')
  }

  #handleEvent({ method, params }: CdpEvent): void {
    switch (method) {
      case 'Page.screencastFrame':
        this.#screencast.receive(params)
        break
      case 'Page.screencastVisibilityChanged':
        this.#screencast.setHidden(!params.visible)
        break
      case 'Page.javascriptDialogOpening':
        this.dialog.open(params)
        break
      case 'Page.javascriptDialogClosed':
        this.dialog.close()
        this.#refreshTitleAndUrl()
        break
      case 'Page.loadEventFired':
        this.#screencast.expectFrame()
        this.#refreshTitleAndUrl()
        break
      case 'Page.domContentEventFired':
        this.#refreshTitleAndUrl()
        break
      default:
    }
  }

  #refreshTitleAndUrl(): void {
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined
      this.#deps.onTitleOrUrlChange()
    }, refreshDelayMs)
  }

  #show(frame: Frame): void {
    this.#refreshTitleAndUrl()
    this.#lastFrame = frame
    for (const viewer of this.viewers) viewer.queueFrame(frame)
  }

  #notify(message: ServerMessage): void {
    for (const viewer of this.viewers) viewer.notify(message)
  }
}

const refreshDelayMs = 500

// The browser sends no event when a page changes only its title.
const titlePollMs = 2000

// Without rounding, resizing a window would restart the screencast at every pixel.
function roundUp(pixels: number): number {
  return Math.ceil(pixels / 160) * 160
}
