import type { Protocol } from '../cdp/protocol.ts'

/**
 * An open dialog that was announced to a client. Only the CDP session that received the
 * `Page.javascriptDialogOpening` event can handle it.
 */
export interface ClientDialog {
  readonly params: Protocol.Page.JavascriptDialogOpeningEvent
  readonly cdpSessionId: string
}
