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

/** Where a watched tab is. */
export interface WatchedTabDeps {
  readonly router: CdpRouter
  readonly browserSession: string
  readonly tab: string
  /** The dialog that was open before this tab was watched. */
  readonly clientDialog: () => ClientDialog | undefined
  /** Called when the page may have another title or address: at most twice a second, and never while it rests. */
  readonly onTitleOrUrlChange: () => void
  readonly onError: (error: unknown) => void
}

/** One tab with at least one viewer: pictures out, input in. */
export class WatchedTab implements AsyncDisposable {
  readonly viewers = new Set<Viewer>()
  readonly #deps: WatchedTabDeps
  readonly #cast: Screencast
  readonly #stop: () => void
  readonly #session = Promise.withResolvers<string>()
  #sessionId: string | undefined
  #lastFrame: Frame | undefined
  #dialog: Dialog | null = null
  #choices: Choices | null = null
  #isHidden = false
  readonly #titleTimer: NodeJS.Timeout
  #differTimer: NodeJS.Timeout | undefined
  #isGone = false

  constructor(deps: WatchedTabDeps) {
    this.#deps = deps
    this.#cast = new Screencast({
      call: async (method, params) => this.call(method, params),
      onFrame: (frame) => this.#show(frame),
      isAwaited: () => [...this.viewers].some((viewer) => viewer.isReady),
      onError: this.#report,
    })
    this.#stop = deps.router.onEvent((event) => {
      if (event.sessionId !== undefined && event.sessionId === this.#sessionId) this.#follow(event)
    })
    this.#titleTimer = setInterval(deps.onTitleOrUrlChange, titleMs).unref()
    const former = deps.clientDialog()
    if (former !== undefined) this.#dialog = toDialog(former.params)
    this.#attach().catch(this.#report)
  }

  /** Takes a viewer in and shows it what there is. */
  join(viewer: Viewer): void {
    this.viewers.add(viewer)
    viewer.forgetFrames()
    viewer.notify({ type: 'dialog', dialog: this.#dialog })
    viewer.notify({ type: 'choices', choices: null })
    viewer.notify({ type: 'pace', isHidden: this.#isHidden })
    if (this.#lastFrame !== undefined) viewer.offer(this.#lastFrame)
    this.adjust()
  }

  leave(viewer: Viewer): void {
    this.viewers.delete(viewer)
    this.adjust()
  }

  /** Fits the pictures to the viewers there are. */
  adjust(): void {
    const seeing = [...this.viewers].filter((viewer) => viewer.isVisible)
    if (seeing.length === 0) return this.#cast.serve(undefined)
    this.#cast.serve({
      width: roundUp(Math.max(...seeing.map((viewer) => viewer.width))),
      height: roundUp(Math.max(...seeing.map((viewer) => viewer.height))),
      level: Math.min(...seeing.map((viewer) => viewer.level)),
    })
  }

  /** Lets the next picture come if somebody awaits it. */
  proceed(): void {
    this.#cast.proceed()
  }

  /** Sends a command to the page. */
  async call(method: string, params?: object): Promise<Readonly<Record<string, unknown>>> {
    const sessionId = this.#sessionId ?? (await this.#session.promise)
    return this.#deps.router.call(method, params, sessionId)
  }

  /** Passes a viewer's input on. The order is kept; a page that does not answer holds nothing up. */
  act(message: InputMessage): void {
    if (this.#choices !== null && message.type === 'mouse' && message.action === 'down') this.#tellChoices(null)
    this.#send([inputCommand(message)])
    if (message.type === 'mouse' && message.action === 'up' && message.button === 'left') {
      this.#inspect(message).catch(() => undefined)
    }
  }

  /** Picks one of the options of the select element that was clicked; null closes its list. */
  choose(option: number | null): void {
    const choices = this.#choices
    if (choices === null) return
    this.#tellChoices(null)
    if (option === null || choices.options[option] === undefined) return this.#send(pressKey('Escape'))
    const from = Math.min(option, choices.chosen)
    const crossed = choices.options.slice(from + 1, Math.max(option, choices.chosen) + 1)
    const steps = option > choices.chosen ? crossed : choices.options.slice(from, Math.max(option, choices.chosen))
    const arrow = pressKey(option > choices.chosen ? 'ArrowDown' : 'ArrowUp')
    const arrows = steps.filter((each) => !each.isDisabled).flatMap(() => arrow)
    this.#send([...arrows, ...pressKey('Enter')])
  }

  /** Tells a viewer what is selected. Nothing when nothing is, or when the page cannot be asked. */
  async copyFor(viewer: Viewer): Promise<void> {
    const text = await readSelection(async (method, params) => this.call(method, params)).catch(() => '')
    if (text !== '') viewer.notify({ type: 'clipboard', text })
  }

  /** Answers the dialog that is open, if one still is. */
  answerDialog(isAccepted: boolean, text: string | undefined): void {
    if (this.#dialog === null) return
    const answer = { accept: isAccepted, ...(text === undefined ? {} : { promptText: text }) }
    const former = this.#deps.clientDialog()
    // The user's own client may have been faster.
    this.call('Page.handleJavaScriptDialog', answer).catch(() => undefined)
    if (former === undefined) return
    this.#tellDialog(null)
    const { router } = this.#deps
    router.callAsClient('Page.handleJavaScriptDialog', answer, former.sessionId).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isGone) return
    this.#isGone = true
    this.#stop()
    clearTimeout(this.#differTimer)
    clearInterval(this.#titleTimer)
    this.#cast.end()
    const sessionId = this.#sessionId ?? (await this.#session.promise.catch(() => undefined))
    // The tab, or the browser, may have gone already.
    if (sessionId !== undefined) {
      await this.#deps.router
        .call('Target.detachFromTarget', { sessionId }, this.#deps.browserSession)
        .catch(() => undefined)
    }
  }

  readonly #report = (error: unknown): void => {
    // A tab that closes takes its session away in the middle of whatever was asked of it.
    if (!this.#isGone) this.#deps.onError(error)
  }

  async #attach(): Promise<void> {
    const { router, browserSession, tab } = this.#deps
    this.#session.promise.catch(() => undefined)
    try {
      const answer = await router.call('Target.attachToTarget', { targetId: tab, flatten: true }, browserSession)
      this.#sessionId = String(answer['sessionId'])
      this.#session.resolve(this.#sessionId)
    } catch (error) {
      this.#session.reject(error)
      throw error
    }
    // Must be on before a dialog opens, or nobody but the client can answer it.
    await this.call('Page.enable')
  }

  #follow({ method, params = {} }: CdpIncoming): void {
    switch (method) {
      case 'Page.screencastFrame':
        this.#cast.receive(params as unknown as ScreencastFrame)
        break
      case 'Page.screencastVisibilityChanged':
        this.#isHidden = params['visible'] === false
        this.#cast.setHidden(this.#isHidden)
        this.#notify({ type: 'pace', isHidden: this.#isHidden })
        break
      case 'Page.javascriptDialogOpening':
        this.#tellDialog(toDialog(params))
        break
      case 'Page.javascriptDialogClosed':
        this.#tellDialog(null)
        this.#refreshTitleAndUrl()
        break
      case 'Page.loadEventFired':
        this.#cast.expectFrame()
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
      this.#notify({ type: 'notice', text: 'Files cannot be chosen in the live view' })
    } else if (found !== undefined) {
      this.#tellChoices(found)
    }
  }

  #refreshTitleAndUrl(): void {
    this.#differTimer ??= setTimeout(() => {
      this.#differTimer = undefined
      this.#deps.onTitleOrUrlChange()
    }, differMs)
  }

  #show(frame: Frame): void {
    this.#refreshTitleAndUrl()
    this.#lastFrame = frame
    for (const viewer of this.viewers) if (viewer.isVisible) viewer.offer(frame)
  }

  #tellDialog(dialog: Dialog | null): void {
    this.#dialog = dialog
    this.#notify({ type: 'dialog', dialog })
  }

  #tellChoices(choices: Choices | null): void {
    this.#choices = choices
    this.#notify({ type: 'choices', choices })
  }

  #notify(message: ServerMessage): void {
    for (const viewer of this.viewers) viewer.notify(message)
  }

  #send(commands: readonly PageCommand[]): void {
    for (const { method, params } of commands) this.call(method, params).catch(this.#report)
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

const differMs = 500

// A page may change its title alone, of which the browser does not tell.
const titleMs = 2000

// A window that is dragged to a new size would otherwise start the cast anew at each pixel.
function roundUp(pixels: number): number {
  return Math.ceil(pixels / 160) * 160
}
