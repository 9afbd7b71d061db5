/** Durations below this many milliseconds never count as drift. */
const negligibleMs = 25
const baselineProbes = 3
const probesInARow = 2

/** Compares the duration of a trivial operation with its duration when the session was new. */
export interface DriftMeter {
  /**
   * Runs the operation. Returns whether it was more than `maxDrift` times slower than at first,
   * twice in a row.
   */
  readonly hasDrifted: (probe: () => Promise<void>) => Promise<boolean>
}

/** Creates the meter of one session. 0 disables it. */
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
      // Uses the slowest baseline, so that a short load spike does not count as drift.
      const limitMs = Math.max(negligibleMs, Math.max(...first) * maxDrift)
      slowInARow = tookMs > limitMs ? slowInARow + 1 : 0
      return slowInARow >= probesInARow
    },
  }
}
