/** Milliseconds below which slower is not worth a new session. */
const negligibleMs = 25
const baselineProbes = 3
const probesInARow = 2

/** Compares how long a trivial operation takes with what it took when the session was new. */
export interface SlowdownMeter {
  /** Runs the operation, and tells whether the session is `maxDrift` times slower than at first, twice in a row. */
  readonly hasSlowedDown: (probe: () => Promise<void>) => Promise<boolean>
}

/** Makes the meter of one session. */
export function createSlowdownMeter(maxDrift: number): SlowdownMeter {
  const first: number[] = []
  let slowInARow = 0
  return {
    hasSlowedDown: async (probe) => {
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
