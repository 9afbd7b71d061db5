/** Time within which repeated signals count as one, in milliseconds. */
const debounceMs = 500

/**
 * Creates a filter that returns whether a signal is new. A signal to a process group arrives
 * directly and again through a parent such as npm; such a repetition is not a second Ctrl-C.
 */
export function createSignalDebounce(): (signal: NodeJS.Signals) => boolean {
  const lastSeenMs = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const nowMs = performance.now()
    const isFresh = nowMs - (lastSeenMs.get(signal) ?? -Infinity) > debounceMs
    lastSeenMs.set(signal, nowMs)
    return isFresh
  }
}
