import { EntryLimit } from '../audit/entry-limit.ts'
import type { RequestOrigin } from './request-origin.ts'

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

/** Logs a failed authentication. `nowMs` is monotonic. Default: now. */
export type AuthFailureLog = (from: RequestOrigin, nowMs?: number) => void

/**
 * Logs failed authentication with the client's address: the first failure at once, then one entry a
 * minute with the number of failures. Of many addresses, 100 entries a minute are written.
 */
export function createAuthFailureLog(write: (failures: AuthFailures) => void): AuthFailureLog {
  const limit = new EntryLimit()
  return ({ address, requestId }, nowMs = performance.now()) => {
    if (address === undefined) return
    const counts = limit.admit(address, nowMs)
    if (counts === undefined) return
    const { count: failures, ...others } = counts
    write({ address, requestId, failures, ...others })
  }
}
