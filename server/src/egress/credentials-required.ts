import type { IncomingMessage } from 'node:http'
import { BowlineError } from 'bowline/kit/errors'

/**
 * An upstream proxy requires credentials, or others than it got. The browser answers the challenge
 * if the client has handlers for it, as for a proxy of its own.
 */
export class CredentialsRequired extends BowlineError {
  /** The `Proxy-Authenticate` header. */
  readonly challenge: string

  constructor(message: string, challenge: string) {
    super('EGRESS_FAILED', message)
    this.challenge = challenge
  }
}

/**
 * The Basic challenge of a proxy. Undefined if it has none: other schemes sign the request that the
 * browser has sent, and the proxy gets another one.
 */
export function basicChallengeOf({ statusCode, headers }: IncomingMessage): string | undefined {
  if (statusCode !== 407) return undefined
  return /(?:^|,)\s*(basic(?:\s+realm=(?:"(?:[^"\\]|\\.)*"|[^\s,"]+))?)/i.exec(
    [headers['proxy-authenticate'] ?? []].flat().join(', '),
  )?.[1]
}
