import { deriveToken, equalSecrets } from 'bowline/kit/ids'

/**
 * Access that a token grants: `control` drives over CDP, `interact` watches and sends input, `view`
 * only watches.
 */
export type TokenKind = 'control' | 'interact' | 'view'

const kinds: readonly TokenKind[] = ['control', 'interact', 'view']

/** The token of one kind for a session. It reveals nothing about other sessions or the API key. */
export function sessionToken(secret: string, kind: TokenKind): string {
  return deriveToken(secret, kind)
}

/** A token that is valid until `expiresAtMs`, milliseconds since the epoch. */
export function expiringToken(secret: string, kind: TokenKind, expiresAtMs: number): string {
  return `${expiresAtMs}.${deriveToken(secret, `${kind} until ${expiresAtMs}`)}`
}

/**
 * Returns the kind of a token for the session with `secret`. Undefined if it is invalid or expired.
 */
export function tokenKind(secret: string, token: string): TokenKind | undefined {
  const [, expiry] = /^(\d{1,15})\./.exec(token) ?? []
  if (expiry !== undefined) {
    if (Number(expiry) < Date.now()) return undefined
    return kinds.find((kind) => equalSecrets(expiringToken(secret, kind, Number(expiry)), token))
  }
  return kinds.find((kind) => equalSecrets(sessionToken(secret, kind), token))
}
