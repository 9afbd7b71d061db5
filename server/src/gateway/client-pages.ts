import { cdpSessionIdAtTail, isDialogEndEvent, isDialogEvent, type CdpCommand } from '../cdp/message.ts'
import { isOversizedEvent } from '../cdp/message-limits.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import type { PageFocus } from '../cdp/page-focus.ts'

/**
 * Commands that show that a client works with a page. Not those that only configure it or respond
 * to its events.
 */
const pageUsingCommands: ReadonlySet<string> = new Set([
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

/** Commands that start and end the emulation of a device. */
const emulatingCommands: ReadonlySet<string> = new Set([
  'Emulation.setDeviceMetricsOverride',
  'Emulation.clearDeviceMetricsOverride',
])

/** The page of a client that is connected to this page only, and the client's session with it. */
export interface RootPage {
  readonly page: string
  readonly cdpSessionId: string
}

/** Key of the client's own session, whose id is not part of its messages. */
const rootKey = ''

/** Tracks which page each session of one client belongs to. */
export class ClientPages {
  readonly #focus: PageFocus
  readonly #pages = new Map<string, string>()
  readonly #root: RootPage | undefined

  /** `root`: undefined for a client of the browser. */
  constructor(focus: PageFocus, root: RootPage | undefined) {
    this.#focus = focus
    this.#root = root
    if (root === undefined) return
    this.#pages.set(rootKey, root.page)
    focus.open(root.page)
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track({ method, params, sessionId: parent = rootKey }: CdpEvent): void {
    if (method === 'Target.detachedFromTarget') this.#forget(params.sessionId)
    if (method !== 'Target.attachedToTarget') return
    const { type, targetId } = params.targetInfo
    // An out-of-process frame belongs to the page in whose session it was announced.
    const page = type === 'page' ? targetId : this.#pages.get(parent)
    if (page === undefined) return
    this.#pages.set(params.sessionId, page)
    this.#focus.open(page)
  }

  /**
   * Processes a dialog event that is sent to the client. The dialog is kept for viewers who connect
   * later.
   */
  trackDialog(message: Buffer): void {
    if (!isDialogEvent(message) && !isDialogEndEvent(message)) return
    const key = cdpSessionIdAtTail(message) ?? rootKey
    const page = this.#pages.get(key)
    // A page can suggest a response of any size. Viewers do not see such a dialog.
    if (page === undefined || isOversizedEvent(message)) return
    const event = JSON.parse(message.toString()) as CdpEvent
    const isOpen = event.method === 'Page.javascriptDialogOpening'
    const cdpSessionId = this.#idOf(key)
    this.#focus.setDialog(page, this, isOpen ? { params: event.params, cdpSessionId } : undefined)
  }

  /** Processes a command that is sent to the browser. */
  trackCommand({ method, params, sessionId: cdpSessionId }: CdpCommand): void {
    if (method === 'Target.activateTarget') this.#focus.set(String(params?.['targetId']))
    if (emulatingCommands.has(method)) this.#trackEmulation(method, cdpSessionId ?? rootKey)
    if (!method.startsWith('Input.') && !pageUsingCommands.has(method)) return
    const page = this.#pages.get(cdpSessionId ?? rootKey)
    if (page !== undefined) this.#focus.markUsed(page, this)
  }

  #trackEmulation(method: string, key: string): void {
    const page = this.#pages.get(key)
    if (page === undefined) return
    const isSet = method === 'Emulation.setDeviceMetricsOverride'
    this.#focus.setEmulatingSession(page, this, isSet ? this.#idOf(key) : undefined)
  }

  #idOf(key: string): string {
    return key === rootKey ? (this.#root?.cdpSessionId ?? '') : key
  }

  /**
   * Whether to hide a message from this client. A dialog is announced only to the client that used
   * the page last: Playwright dismisses every dialog on a page without dialog listeners, including
   * those of other clients.
   */
  shouldHide(message: Buffer): boolean {
    if (!isDialogEvent(message)) return false
    const page = this.#pages.get(cdpSessionIdAtTail(message) ?? rootKey)
    return page !== undefined && this.#focus.wasLastUsedByOther(page, this)
  }

  /** The page that a session belongs to; without an id, that of the client's own session. */
  pageOf(cdpSessionId: string | undefined): string | undefined {
    return this.#pages.get(cdpSessionId ?? rootKey)
  }

  /** Removes the client after it has disconnected. */
  leave(): void {
    this.#focus.leave(this)
  }

  #forget(cdpSessionId: string): void {
    const page = this.#pages.get(cdpSessionId)
    this.#pages.delete(cdpSessionId)
    if (page !== undefined && this.#focus.emulatingSessionOf(page) === cdpSessionId) {
      this.#focus.setEmulatingSession(page, this, undefined)
    }
    // A detached frame does not close its page while the client has a session of the page.
    if (page !== undefined && ![...this.#pages.values()].includes(page)) this.#focus.close(page)
  }
}
