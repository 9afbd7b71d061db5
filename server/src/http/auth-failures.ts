/** Milliseconds for which the failures of one address are counted before they are logged again. */
const windowMs = 60_000

const mostAddresses = 1000

/** Logs failed authentication: the first failure of an address at once, then at most one line a minute with their number. */
export function createAuthFailureLog(
  write: (facts: { readonly audit: string; readonly address: string; readonly failures: number }) => void,
): (address: string, nowMs?: number) => void {
  const known = new Map<string, { loggedMs: number; unlogged: number }>()
  return (address, nowMs = Date.now()) => {
    const entry = known.get(address)
    if (entry !== undefined && nowMs - entry.loggedMs < windowMs) {
      entry.unlogged += 1
      return
    }
    if (entry === undefined && known.size >= mostAddresses) known.clear()
    known.set(address, { loggedMs: nowMs, unlogged: 0 })
    write({ audit: 'auth.failed', address, failures: (entry?.unlogged ?? 0) + 1 })
  }
}
