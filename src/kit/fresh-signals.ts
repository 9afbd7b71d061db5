/** Milliseconds within which the same signal counts as the same press of a key. */
const echoMs = 500

/**
 * Makes a test for whether a signal is a new one. A signal to a process group reaches a program directly and again
 * through whatever started it, such as npm: such an echo is no impatience.
 */
export function createFreshSignalTest(): (signal: NodeJS.Signals) => boolean {
  const heardAtMs = new Map<NodeJS.Signals, number>()
  return (signal) => {
    const nowMs = performance.now()
    const isFresh = nowMs - (heardAtMs.get(signal) ?? -Infinity) > echoMs
    heardAtMs.set(signal, nowMs)
    return isFresh
  }
}
