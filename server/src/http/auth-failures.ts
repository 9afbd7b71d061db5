/** Milliseconds during which failures of one address are counted instead of logged. */
const windowMs = 60_000

const maxAddresses = 1000

/** Logs a failed authentication of an address. Default of `nowMs`: the current time. */
export type AuthFailureLog = (address: string, nowMs?: number) => void

/**
 * Logs failed authentication with the client's address: the first failure at once, then one line a
 * minute with the number of failures.
 */
export function createAuthFailureLog(
  write: (facts: { readonly audit: string; readonly address: string; readonly failures: number }) => void,
): AuthFailureLog {
  const known = new Map<string, { loggedMs: number; unlogged: number }>()
  return (address, nowMs = Date.now()) => {
    const entry = known.get(address)
    if (entry !== undefined && nowMs - entry.loggedMs < windowMs) {
      entry.unlogged += 1
      return
    }
    if (entry === undefined && known.size >= maxAddresses) known.clear()
    known.set(address, { loggedMs: nowMs, unlogged: 0 })
    write({ audit: 'auth.failed', address, failures: (entry?.unlogged ?? 0) + 1 })
  }
}
