import type { CdpCall, Protocol } from '../cdp/protocol.ts'
import type { CdpRouter } from '../cdp/router.ts'
import type { OpenDialog } from '../cdp/page-focus.ts'
import { copyStart } from '../kit/copy-start.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
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
  async answer(isAccepted: boolean, text: string | undefined): Promise<void> {
    if (this.#dialog === null) return
    const { router, call, clientDialog } = this.#deps
    const result = { accept: isAccepted, ...(text === undefined ? {} : { promptText: text }) }
    const openDialog = clientDialog()
    // Fails if a client has handled the dialog already.
    const answered = call('Page.handleJavaScriptDialog', result).catch(() => undefined)
    if (openDialog === undefined) return answered
    this.#set(null)
    // Fails if the client has left.
    const { cdpSessionId } = openDialog
    await router.callInClientSession('Page.handleJavaScriptDialog', result, cdpSessionId).catch(() => undefined)
    await answered
  }

  #set(dialog: Dialog | null): void {
    this.#dialog = dialog
    this.#deps.onChange(dialog)
  }
}

/** Maximum lengths of texts from the page, which are sent to every viewer. */
const maxTextLength = 10_000
const maxUrlLength = 2000

function toDialog({ type, message, defaultPrompt = '', url }: Protocol.Page.JavascriptDialogOpeningEvent): Dialog {
  return {
    kind: type,
    message: copyStart(message, maxTextLength),
    defaultText: copyStart(defaultPrompt, maxTextLength),
    url: copyStart(withoutCredentials(url), maxUrlLength),
  }
}
