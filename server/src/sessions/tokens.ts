import { deriveToken, equalSecrets } from 'bowline/kit/ids'

/** What the holder of a token may do: drive over CDP, watch and pass input on, or only watch. */
export type TokenKind = 'control' | 'interact' | 'view'

const kinds: readonly TokenKind[] = ['control', 'interact', 'view']

/** The token of one kind for a session. It says nothing about other sessions, nor about the API key. */
export function sessionToken(secret: string, kind: TokenKind): string {
  return deriveToken(secret, kind)
}

/** Which kind of token this is for the session with `secret`; undefined when it is none. */
export function tokenKind(secret: string, token: string): TokenKind | undefined {
  return kinds.find((kind) => equalSecrets(sessionToken(secret, kind), token))
}
