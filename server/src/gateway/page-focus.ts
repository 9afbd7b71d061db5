import { isDialogEndEvent, isDialogEvent, sessionIdAtTail, type CdpCommand, type CdpIncoming } from '../cdp/message.ts'

/** An open dialog of a page, as announced to a client. */
export interface OpenDialog {
  /** Parameters of the event that announced it. */
  readonly params: Readonly<Record<string, unknown>>
  /** The client's session in which the dialog can be handled. */
  readonly sessionId: string
}

/**
 * Tracks which page of a browser any of its clients drove last. Chromium reports no reliable signal
 * for it.
 */
export class PageFocus {
  #page: string | undefined
  readonly #opened = new Set<string>()
  readonly #listeners = new Set<() => void>()
  /** The client that drove each page last. */
  readonly #drivers = new Map<string, object>()
  readonly #dialogs = new Map<string, OpenDialog & { readonly client: object }>()

  /** Target id of the page. Undefined if none was driven yet. The page may be closed. */
  get page(): string | undefined {
    return this.#page
  }

  /**
   * Target ids of the open pages that clients know, oldest first. The browser lists its pages in no
   * particular order.
   */
  get opened(): readonly string[] {
    return [...this.#opened]
  }

  /** Records that a page was announced to a client. */
  open(page: string): void {
    this.#opened.add(page)
  }

  /** The dialog that is open on a page, if it was announced to a client. */
  dialogOf(page: string): OpenDialog | undefined {
    return this.#dialogs.get(page)
  }

  /** Sets or, with undefined, removes the open dialog of a page. */
  setDialog(page: string, client: object, dialog: OpenDialog | undefined): void {
    if (dialog === undefined) this.#dialogs.delete(page)
    else this.#dialogs.set(page, { ...dialog, client })
  }

  /** Removes a closed page. */
  close(page: string): void {
    this.#dialogs.delete(page)
    this.#opened.delete(page)
    this.#drivers.delete(page)
  }

  /** Records that a client drove a page. */
  drive(page: string, client: object): void {
    this.#drivers.set(page, client)
    this.set(page)
  }

  /** Whether another connected client drove the page last. */
  isDrivenByOther(page: string, client: object): boolean {
    const driver = this.#drivers.get(page)
    return driver !== undefined && driver !== client
  }

  /** Removes a client that has disconnected. */
  leave(client: object): void {
    for (const [page, driver] of this.#drivers) if (driver === client) this.#drivers.delete(page)
    for (const [page, dialog] of this.#dialogs) if (dialog.client === client) this.#dialogs.delete(page)
  }

  /** Makes a page the active one. */
  set(page: string): void {
    if (page === this.#page) return
    this.#page = page
    for (const listener of this.#listeners) listener()
  }

  /** Calls the listener when the active page changes. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/**
 * Commands that show that a client works with a page. Not those that only configure it or respond
 * to its events.
 */
const driving: ReadonlySet<string> = new Set([
  'DOM.scrollIntoViewIfNeeded',
  'DOM.setFileInputFiles',
  'Page.bringToFront',
  'Page.captureScreenshot',
  'Page.navigate',
  'Page.navigateToHistoryEntry',
  'Page.printToPDF',
  'Page.reload',
  'Page.setDocumentContent',
  'Runtime.callFunctionOn',
  'Runtime.evaluate',
])

/** Tracks which page each session of one client belongs to. */
export class ClientPages {
  readonly #focus: PageFocus
  readonly #pages = new Map<string, string>()

  constructor(focus: PageFocus) {
    this.#focus = focus
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track(event: CdpIncoming): void {
    const { method } = event
    const params = (event.params ?? {}) as { sessionId?: string; targetInfo?: { type: string; targetId: string } }
    if (params.sessionId === undefined) return
    if (method === 'Target.detachedFromTarget') this.#forget(params.sessionId)
    if (method !== 'Target.attachedToTarget' || params.targetInfo === undefined) return
    const { type, targetId } = params.targetInfo
    // An out-of-process frame belongs to the page in whose session it was announced.
    const page = type === 'page' ? targetId : this.#pages.get(event.sessionId ?? '')
    if (page === undefined) return
    this.#pages.set(params.sessionId, page)
    this.#focus.open(page)
  }

  /**
   * Processes a dialog event that is sent to the client. Viewers who connect later need the dialog,
   * too.
   */
  trackDialog(message: Buffer): void {
    const isOpening = isDialogEvent(message)
    if (!isOpening && !isDialogEndEvent(message)) return
    const sessionId = sessionIdAtTail(message) ?? ''
    const page = this.#pages.get(sessionId)
    if (page === undefined) return
    const { params } = JSON.parse(message.toString()) as { readonly params: Readonly<Record<string, unknown>> }
    this.#focus.setDialog(page, this, isOpening ? { params, sessionId } : undefined)
  }

  /** Processes a command that is sent to the browser. */
  trackCommand({ method, params, sessionId }: CdpCommand): void {
    if (method === 'Target.activateTarget') this.#focus.set(String(params?.['targetId']))
    if (sessionId === undefined || !(method.startsWith('Input.') || driving.has(method))) return
    const page = this.#pages.get(sessionId)
    if (page !== undefined) this.#focus.drive(page, this)
  }

  /**
   * Whether to hide a message from this client. A dialog is announced only to the client that drove
   * the page: Playwright dismisses every dialog on a page without dialog listeners, including those
   * of other clients.
   */
  shouldHide(message: Buffer): boolean {
    if (!isDialogEvent(message)) return false
    const page = this.#pages.get(sessionIdAtTail(message) ?? '')
    return page !== undefined && this.#focus.isDrivenByOther(page, this)
  }

  /** Removes the client after it has disconnected. */
  leave(): void {
    this.#focus.leave(this)
  }

  #forget(sessionId: string): void {
    const page = this.#pages.get(sessionId)
    this.#pages.delete(sessionId)
    // A detached frame does not close its page while the client has a session of the page.
    if (page !== undefined && ![...this.#pages.values()].includes(page)) this.#focus.close(page)
  }
}
