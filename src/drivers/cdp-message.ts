/** A CDP command, response or event. */
export interface CdpMessage {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  readonly error?: { readonly code: number; readonly message: string }
}
