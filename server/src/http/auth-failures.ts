import type { RequestOrigin } from './request-origin.ts'

/** Milliseconds during which failures of one address are counted instead of logged. */
const windowMs = 60_000

const maxAddresses = 1000

/** Failures that are logged in a window, of all addresses together. */
const maxLogged = 100

/** Failed authentication of an address. */
export interface AuthFailures {
  readonly address: string
  /** Id of the last request that failed. */
  readonly requestId: string | undefined
  /** Number of failures of the address since its last entry. */
  readonly failures: number
  /** Number of failures of other addresses that were not logged. Absent: none. */
  readonly unlogged?: number
}

/** Logs a failed authentication. Default of `nowMs`: the current time. */
export type AuthFailureLog = (from: RequestOrigin, nowMs?: number) => void

/**
 * Logs failed authentication with the client's address: the first failure at once, then one entry a
 * minute with the number of failures. Of many addresses, 100 entries a minute are written.
 */
export function createAuthFailureLog(write: (failures: AuthFailures) => void): AuthFailureLog {
  const known = new Map<string, { loggedMs: number; unlogged: number }>()
  let window = { startedMs: -Infinity, logged: 0 }
  let unlogged = 0
  return ({ address, requestId }, nowMs = Date.now()) => {
    if (address === undefined) return
    const entry = known.get(address)
    if (entry !== undefined && nowMs - entry.loggedMs < windowMs) {
      entry.unlogged += 1
      return
    }
    if (nowMs - window.startedMs >= windowMs) window = { startedMs: nowMs, logged: 0 }
    if (window.logged >= maxLogged) {
      unlogged += 1
      return
    }
    window.logged += 1
    if (entry === undefined && known.size >= maxAddresses) known.clear()
    known.set(address, { loggedMs: nowMs, unlogged: 0 })
    const failures = (entry?.unlogged ?? 0) + 1
    write({ address, requestId, failures, ...(unlogged === 0 ? {} : { unlogged }) })
    unlogged = 0
  }
}
