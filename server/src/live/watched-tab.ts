import type { CdpIncoming } from '../cdp/message.ts'
import type { CdpRouter } from '../cdp/router.ts'
import { Screencast, type ScreencastFrame } from './screencast.ts'
import type { Frame } from './frame.ts'
import { inputCommand, pressKey, type InputMessage, type PageCommand } from './input.ts'
import { inspectPoint } from './inspect-point.ts'
import { readSelection } from './read-selection.ts'
import type { Choices, Dialog, ServerMessage } from './server-message.ts'
import type { ClientDialog } from './client-dialog.ts'
import type { Viewer } from './viewer.ts'

/** Dependencies of a watched tab. */
export interface WatchedTabDeps {
  readonly router: CdpRouter
  readonly browserSession: string
  readonly tab: string
  /** The dialog that opened before this tab was watched. */
  readonly clientDialog: () => ClientDialog | undefined
  /** Called when the title or URL may have changed, at most twice a second. */
  readonly onTitleOrUrlChange: () => void
  readonly onError: (error: unknown) => void
}

/** A tab with at least one viewer. Sends its frames to the viewers and their input to the page. */
export class WatchedTab implements AsyncDisposable {
  readonly viewers = new Set<Viewer>()
  readonly #deps: WatchedTabDeps
  readonly #screencast: Screencast
  readonly #stop: () => void
  readonly #session = Promise.withResolvers<string>()
  #sessionId: string | undefined
  #lastFrame: Frame | undefined
  #dialog: Dialog | null = null
  #choices: Choices | null = null
  readonly #titleTimer: NodeJS.Timeout
  #refreshTimer: NodeJS.Timeout | undefined
  #isDisposed = false

  constructor(deps: WatchedTabDeps) {
    this.#deps = deps
    this.#screencast = new Screencast({
      call: async (method, params) => this.call(method, params),
      onFrame: (frame) => this.#show(frame),
      isFrameWanted: () => [...this.viewers].some((viewer) => viewer.isReady),
      onError: this.#reportError,
    })
    this.#stop = deps.router.onEvent((event) => {
      if (event.sessionId !== undefined && event.sessionId === this.#sessionId) this.#handleEvent(event)
    })
    this.#titleTimer = setInterval(deps.onTitleOrUrlChange, titlePollMs).unref()
    const openDialog = deps.clientDialog()
    if (openDialog !== undefined) this.#dialog = toDialog(openDialog.params)
    this.#attach().catch(this.#reportError)
  }

  /** Adds a viewer and sends it the current state. */
  join(viewer: Viewer): void {
    this.viewers.add(viewer)
    viewer.forgetFrames()
    viewer.notify({ type: 'dialog', dialog: this.#dialog })
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
  async call(method: string, params?: object): Promise<Readonly<Record<string, unknown>>> {
    const sessionId = this.#sessionId ?? (await this.#session.promise)
    return this.#deps.router.call(method, params, sessionId)
  }

  /** Sends a viewer's input to the page, in order and without waiting for responses. */
  handleInput(message: InputMessage): void {
    if (this.#choices !== null && message.type === 'mouse' && message.action === 'down') this.#setChoices(null)
    this.#send([inputCommand(message)])
    if (message.type === 'mouse' && message.action === 'up' && message.button === 'left') {
      this.#inspect(message).catch(() => undefined)
    }
  }

  /** Chooses an option of the select element that was clicked. `null` closes its list. */
  choose(option: number | null): void {
    const choices = this.#choices
    if (choices === null) return
    this.#setChoices(null)
    if (option === null || choices.options[option] === undefined) return this.#send(pressKey('Escape'))
    const from = Math.min(option, choices.chosen)
    const crossed = choices.options.slice(from + 1, Math.max(option, choices.chosen) + 1)
    const steps = option > choices.chosen ? crossed : choices.options.slice(from, Math.max(option, choices.chosen))
    const arrow = pressKey(option > choices.chosen ? 'ArrowDown' : 'ArrowUp')
    const arrows = steps.filter((each) => !each.isDisabled).flatMap(() => arrow)
    this.#send([...arrows, ...pressKey('Enter')])
  }

  /** Sends the selected text to a viewer. Sends nothing if none is selected or the page fails. */
  async copyFor(viewer: Viewer): Promise<void> {
    const text = await readSelection(async (method, params) => this.call(method, params)).catch(() => '')
    if (text !== '') viewer.notify({ type: 'clipboard', text })
  }

  /** Accepts or dismisses the open dialog, if there is one. */
  answerDialog(isAccepted: boolean, text: string | undefined): void {
    if (this.#dialog === null) return
    const result = { accept: isAccepted, ...(text === undefined ? {} : { promptText: text }) }
    const openDialog = this.#deps.clientDialog()
    // Fails if a client has handled the dialog already.
    this.call('Page.handleJavaScriptDialog', result).catch(() => undefined)
    if (openDialog === undefined) return
    this.#setDialog(null)
    const { router } = this.#deps
    router.callInClientSession('Page.handleJavaScriptDialog', result, openDialog.sessionId).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#stop()
    clearTimeout(this.#refreshTimer)
    clearInterval(this.#titleTimer)
    this.#screencast.end()
    const sessionId = this.#sessionId ?? (await this.#session.promise.catch(() => undefined))
    // Fails if the tab is closed or the browser has exited.
    if (sessionId !== undefined) {
      await this.#deps.router
        .call('Target.detachFromTarget', { sessionId }, this.#deps.browserSession)
        .catch(() => undefined)
    }
  }

  readonly #reportError = (error: unknown): void => {
    // When a tab closes, its session is detached and pending calls fail.
    if (!this.#isDisposed) this.#deps.onError(error)
  }

  async #attach(): Promise<void> {
    const { router, browserSession, tab } = this.#deps
    this.#session.promise.catch(() => undefined)
    try {
      const result = await router.call('Target.attachToTarget', { targetId: tab, flatten: true }, browserSession)
      this.#sessionId = String(result['sessionId'])
      this.#session.resolve(this.#sessionId)
    } catch (error) {
      this.#session.reject(error)
      throw error
    }
    // Only sessions that enabled `Page` before a dialog opened can handle it.
    await this.call('Page.enable')
  }

  #handleEvent({ method, params = {} }: CdpIncoming): void {
    switch (method) {
      case 'Page.screencastFrame':
        this.#screencast.receive(params as unknown as ScreencastFrame)
        break
      case 'Page.screencastVisibilityChanged':
        this.#screencast.setHidden(params['visible'] === false)
        break
      case 'Page.javascriptDialogOpening':
        this.#setDialog(toDialog(params))
        break
      case 'Page.javascriptDialogClosed':
        this.#setDialog(null)
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

  async #inspect(point: { readonly x: number; readonly y: number }): Promise<void> {
    const found = await inspectPoint(async (method, params) => this.call(method, params), point)
    if (found === 'file') {
      this.#notify({ type: 'notice', text: 'File choosers are not supported in the live view' })
    } else if (found !== undefined) {
      this.#setChoices(found)
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
    for (const viewer of this.viewers) if (viewer.isVisible) viewer.queueFrame(frame)
  }

  #setDialog(dialog: Dialog | null): void {
    this.#dialog = dialog
    this.#notify({ type: 'dialog', dialog })
  }

  #setChoices(choices: Choices | null): void {
    this.#choices = choices
    this.#notify({ type: 'choices', choices })
  }

  #notify(message: ServerMessage): void {
    for (const viewer of this.viewers) viewer.notify(message)
  }

  #send(commands: readonly PageCommand[]): void {
    for (const { method, params } of commands) this.call(method, params).catch(this.#reportError)
  }
}

function toDialog(params: Readonly<Record<string, unknown>>): Dialog {
  return {
    kind: params['type'] as Dialog['kind'],
    message: params['message'] as string,
    defaultText: (params['defaultPrompt'] as string | undefined) ?? '',
    url: params['url'] as string,
  }
}

const refreshDelayMs = 500

// The browser sends no event when a page changes only its title.
const titlePollMs = 2000

// Without rounding, resizing a window would restart the screencast at every pixel.
function roundUp(pixels: number): number {
  return Math.ceil(pixels / 160) * 160
}
