/** The query of a URL that grants access by a token. */
export interface TokenQuery {
  /** An array if the URL has several. */
  readonly token?: string | readonly string[]
}

/**
 * Returns the token of a URL, the first of several as WebSocket upgrades do, or an empty string.
 */
export function firstToken({ token = '' }: TokenQuery): string {
  return [token].flat()[0] ?? ''
}
