import { closeCodes } from 'bowline/contract/close-codes'
import type { Peers } from '../cluster/peers.ts'
import { endReasonsOf, findSession } from '../sessions/session-queries.ts'
import type { Store } from '../store/store.ts'

/** Close frame of a relayed connection. */
interface RelayEnd {
  readonly code: number
  readonly reason: string
}

/** After "service restart", drivers resume the connection through another server. */
const serviceRestart = 1012

/**
 * Returns the close frame for the connection to a session of another server when this one, which
 * has relayed it, shuts down. It says that the session is alive only if it is. Never rejects.
 */
export async function relayEndOf(
  { store, peers }: { readonly store: Store; readonly peers: Pick<Peers, 'stateOf'> },
  sessionId: string,
): Promise<RelayEnd> {
  try {
    const row = await findSession(store.db, sessionId)
    if (row === undefined) return ended('deleted')
    if (row.status !== 'active') return ended(row.endReason ?? 'lost')
    const state = await peers.stateOf(row.nodeId)
    if (state === 'draining') return ended('drained')
    return restart(
      state === 'running'
        ? 'The session is still alive: reconnect.'
        : 'The server of the session does not respond: reconnect later.',
    )
  } catch {
    return restart('Reconnect to see whether the session is still alive.')
  }
}

/**
 * Returns the close frames for connections to sessions of other servers that have ended. A server
 * that is dead or hangs closes none itself.
 */
export async function relayEndsOf(
  { store }: { readonly store: Store },
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, RelayEnd>> {
  if (sessionIds.length === 0) return new Map()
  const reasons = await endReasonsOf(store.db, sessionIds)
  return new Map([...reasons].map(([id, reason]) => [id, ended(reason)]))
}

function ended(reason: keyof typeof closeCodes): RelayEnd {
  return { code: closeCodes[reason], reason }
}

/** A reason has at most 123 bytes. */
function restart(advice: string): RelayEnd {
  return { code: serviceRestart, reason: `The server that relayed this connection shuts down. ${advice}` }
}
