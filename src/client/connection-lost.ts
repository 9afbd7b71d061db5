import type { EndReason } from '../contract/browser.ts'
import { closeCodes, type CloseReason } from '../contract/close-codes.ts'
import { BowlineError } from '../kit/errors.ts'

/**
 * Describes why a connection has ended. Undefined if its user has closed the browser or the
 * connection.
 */
export function connectionLost(sessionId: string, code: number, reason: string): BowlineError | undefined {
  if (closedByUser.has(code)) return undefined
  const isKnown = Object.hasOwn(descriptions, reason)
  const why = isKnown ? descriptions[reason as CloseReason] : reason === '' ? 'it was closed without a reason' : reason
  return new BowlineError(
    'CONNECTION_LOST',
    `The connection to session ${sessionId} was lost: ${why} (close code ${code})`,
    hasEnded.has(code) ? {} : { hint: mayLiveHint },
  )
}

/**
 * Describes why a session has ended, as its bill reports it. Undefined if it was deleted, or if the
 * reason is unknown.
 */
export function sessionLost(sessionId: string, reason: EndReason | undefined): BowlineError | undefined {
  return reason === undefined || reason === 'deleted'
    ? undefined
    : connectionLost(sessionId, closeCodes[reason], reason)
}

/** Describes an end reason in words, such as "the TTL of the session expired". */
export function describeEndReason(reason: EndReason): string {
  return descriptions[reason]
}

/** 1000 and 1005: a close frame of the client, with and without a code. */
const closedByUser: ReadonlySet<number> = new Set([1000, 1005])

/** Codes after which the session exists no more. The default hint is to create another one. */
const hasEnded: ReadonlySet<number> = new Set([
  closeCodes.deleted,
  closeCodes.ttl,
  closeCodes.idle,
  closeCodes.crashed,
  closeCodes.drained,
  closeCodes.lost,
  closeCodes.revoked,
])

const mayLiveHint = 'The session may still be alive: connect to it again, or create a new one if it has ended.'

const descriptions: Readonly<Record<CloseReason, string>> = {
  closed: 'the browser was closed',
  deleted: 'the session was deleted',
  ttl: 'the TTL of the session expired',
  idle: 'the activity TTL of the session expired',
  crashed: 'the browser crashed',
  drained: 'the server was shut down',
  lost: 'the server that ran the session was lost',
  revoked: 'the API key of the session was revoked',
  lagging: 'the client did not read its messages for too long',
  unresponsive: 'the client did not respond to pings',
  'not-resumable': 'it was interrupted and could not be resumed',
  replaced: 'another connection has taken its place',
}
