import { isDialogEndEvent, isDialogEvent, sessionIdAtTail, type CdpCommand, type CdpIncoming } from '../cdp/message.ts'

/** A dialog of a page that a client was told of. */
export interface OpenDialog {
  /** As the browser told it. */
  readonly params: Readonly<Record<string, unknown>>
  /** The client's session that it can be answered in. */
  readonly sessionId: string
}

/** Which page of a browser was driven last by any of its clients. No signal of the browser itself tells that reliably. */
export class PageFocus {
  #page: string | undefined
  readonly #opened = new Set<string>()
  readonly #listeners = new Set<() => void>()
  /** The client that drove each page last. */
  readonly #drivers = new Map<string, object>()
  readonly #dialogs = new Map<string, OpenDialog & { readonly client: object }>()

  /** Target id of the page; undefined when none was driven yet. It may be closed by now. */
  get page(): string | undefined {
    return this.#page
  }

  /** The open pages that clients know of, oldest first. The browser lists its pages in no order. */
  get opened(): readonly string[] {
    return [...this.#opened]
  }

  /** Notes that a client was told of a page. */
  open(page: string): void {
    this.#opened.add(page)
  }

  /** The dialog that is open on a page, as far as a client was told of it. */
  dialogOf(page: string): OpenDialog | undefined {
    return this.#dialogs.get(page)
  }

  /** Notes what dialog is open on a page; undefined when it is over. */
  setDialog(page: string, client: object, dialog: OpenDialog | undefined): void {
    if (dialog === undefined) this.#dialogs.delete(page)
    else this.#dialogs.set(page, { ...dialog, client })
  }

  /** Notes that a page is gone. */
  close(page: string): void {
    this.#dialogs.delete(page)
    this.#opened.delete(page)
    this.#drivers.delete(page)
  }

  /** Notes that a client drove a page. */
  drive(page: string, client: object): void {
    this.#drivers.set(page, client)
    this.set(page)
  }

  /** Whether a page was driven last by another client that is still there. */
  isDrivenByOther(page: string, client: object): boolean {
    const driver = this.#drivers.get(page)
    return driver !== undefined && driver !== client
  }

  /** Notes that a client has left. */
  leave(client: object): void {
    for (const [page, driver] of this.#drivers) if (driver === client) this.#drivers.delete(page)
    for (const [page, dialog] of this.#dialogs) if (dialog.client === client) this.#dialogs.delete(page)
  }

  /** Notes that a page is the one to look at. */
  set(page: string): void {
    if (page === this.#page) return
    this.#page = page
    for (const listener of this.#listeners) listener()
  }

  /** Calls with every change. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Commands that mean a page is worked with. The many that only prepare it, or answer it, are not among them. */
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

/** Follows which page each session of one client belongs to. */
export class ClientPages {
  readonly #focus: PageFocus
  readonly #pages = new Map<string, string>()

  constructor(focus: PageFocus) {
    this.#focus = focus
  }

  /** Takes an event of the Target domain on its way to the client. */
  follow(event: CdpIncoming): void {
    const { method } = event
    const params = (event.params ?? {}) as { sessionId?: string; targetInfo?: { type: string; targetId: string } }
    if (params.sessionId === undefined) return
    if (method === 'Target.detachedFromTarget') this.#forget(params.sessionId)
    if (method !== 'Target.attachedToTarget' || params.targetInfo === undefined) return
    const { type, targetId } = params.targetInfo
    // A frame in a process of its own belongs to the page whose session announced it.
    const page = type === 'page' ? targetId : this.#pages.get(event.sessionId ?? '')
    if (page === undefined) return
    this.#pages.set(params.sessionId, page)
    this.#focus.open(page)
  }

  /** Takes an event of a dialog on its way to the client: who watches later must learn of it, too. */
  followDialog(message: Buffer): void {
    const isOpening = isDialogEvent(message)
    if (!isOpening && !isDialogEndEvent(message)) return
    const sessionId = sessionIdAtTail(message) ?? ''
    const page = this.#pages.get(sessionId)
    if (page === undefined) return
    const { params } = JSON.parse(message.toString()) as { readonly params: Readonly<Record<string, unknown>> }
    this.#focus.setDialog(page, this, isOpening ? { params, sessionId } : undefined)
  }

  /** Takes a command on its way to the browser. */
  note({ method, params, sessionId }: CdpCommand): void {
    if (method === 'Target.activateTarget') this.#focus.set(String(params?.['targetId']))
    if (sessionId === undefined || !(method.startsWith('Input.') || driving.has(method))) return
    const page = this.#pages.get(sessionId)
    if (page !== undefined) this.#focus.drive(page, this)
  }

  /**
   * Whether a message is not for this client: a dialog belongs to the client whose work opened it. Playwright dismisses
   * every dialog it hears of on a page where nobody listens, so it must not hear of those of other clients.
   */
  withholds(message: Buffer): boolean {
    if (!isDialogEvent(message)) return false
    const page = this.#pages.get(sessionIdAtTail(message) ?? '')
    return page !== undefined && this.#focus.isDrivenByOther(page, this)
  }

  /** Notes that the client has left. */
  leave(): void {
    this.#focus.leave(this)
  }

  #forget(sessionId: string): void {
    const page = this.#pages.get(sessionId)
    this.#pages.delete(sessionId)
    // A frame that goes leaves its page, which the client still has a session of.
    if (page !== undefined && ![...this.#pages.values()].includes(page)) this.#focus.close(page)
  }
}
