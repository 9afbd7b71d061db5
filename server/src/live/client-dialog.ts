/**
 * A dialog that opened before anyone watched. Only the CDP session of the client that received the
 * `Page.javascriptDialogOpening` event can handle it.
 */
export interface ClientDialog {
  readonly params: Readonly<Record<string, unknown>>
  readonly sessionId: string
}
