/** Milliseconds below which slower is not worth a new session. */
const negligibleMs = 25
const baselineProbes = 3
const probesInARow = 2

/** Compares how long a trivial operation takes with what it took when the session was new. */
export interface DriftMeter {
  /** Runs the operation, and tells whether the session is `maxDrift` times slower than at first, twice in a row. */
  readonly hasDrifted: (probe: () => Promise<void>) => Promise<boolean>
}

/** Makes the meter of one session. */
export function createDriftMeter(maxDrift: number): DriftMeter {
  const first: number[] = []
  let slowInARow = 0
  return {
    hasDrifted: async (probe) => {
      if (maxDrift === 0) return false
      const startedAt = performance.now()
      await probe()
      const tookMs = performance.now() - startedAt
      if (first.length < baselineProbes) {
        first.push(tookMs)
        return false
      }
      // The slowest of the first, so that a busy moment later is not taken for rot.
      const limitMs = Math.max(negligibleMs, Math.max(...first) * maxDrift)
      slowInARow = tookMs > limitMs ? slowInARow + 1 : 0
      return slowInARow >= probesInARow
    },
  }
}
