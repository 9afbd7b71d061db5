import type { CdpCall, Protocol } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import type { OpenDialog } from '../cdp/page-focus.ts'
import type { Dialog } from './server-message.ts'

/** Dependencies of `TabDialog`. */
export interface TabDialogDeps {
  readonly router: CdpRouter
  /** Calls the page in the session of the live view. */
  readonly call: CdpCall
  /** The dialog that opened before the tab was watched. */
  readonly clientDialog: () => OpenDialog | undefined
  readonly onChange: (dialog: Dialog | null) => void
}

/** The JavaScript dialog of a watched tab, if one is open. */
export class TabDialog {
  readonly #deps: TabDialogDeps
  #dialog: Dialog | null

  constructor(deps: TabDialogDeps) {
    this.#deps = deps
    const openDialog = deps.clientDialog()
    this.#dialog = openDialog === undefined ? null : toDialog(openDialog.params)
  }

  get current(): Dialog | null {
    return this.#dialog
  }

  open(params: Protocol.Page.JavascriptDialogOpeningEvent): void {
    this.#set(toDialog(params))
  }

  close(): void {
    this.#set(null)
  }

  /** Accepts or dismisses the dialog, if one is open. */
  answer(isAccepted: boolean, text: string | undefined): void {
    if (this.#dialog === null) return
    const { router, call, clientDialog } = this.#deps
    const result = { accept: isAccepted, ...(text === undefined ? {} : { promptText: text }) }
    const openDialog = clientDialog()
    // Fails if a client has handled the dialog already.
    call('Page.handleJavaScriptDialog', result).catch(() => undefined)
    if (openDialog === undefined) return
    this.#set(null)
    // Fails if the client has left.
    router.callInClientSession('Page.handleJavaScriptDialog', result, openDialog.cdpSessionId).catch(() => undefined)
  }

  #set(dialog: Dialog | null): void {
    this.#dialog = dialog
    this.#deps.onChange(dialog)
  }
}

function toDialog({ type, message, defaultPrompt = '', url }: Protocol.Page.JavascriptDialogOpeningEvent): Dialog {
  return { kind: type, message, defaultText: defaultPrompt, url }
}
