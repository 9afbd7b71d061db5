/** The part of an address that lets in whoever has it. */
export interface TokenQuery {
  /** Several: the address names it more than once. */
  readonly token?: string | readonly string[]
}

/** The token of an address, the first when it names several, as WebSockets take it; empty when there is none. */
export function firstToken({ token = '' }: TokenQuery): string {
  return [token].flat()[0] ?? ''
}
