/** A dialog that opened before anybody watched: it can only be answered in the session of a client that was told of it. */
export interface ClientDialog {
  readonly params: Readonly<Record<string, unknown>>
  readonly sessionId: string
}
