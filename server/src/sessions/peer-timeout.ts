/** Milliseconds between two heartbeats from which on it was not only the others who were silent: four beats. */
const gapMs = 20_000

/** Milliseconds that the others then have to be heard again. */
const peerTimeoutMs = 30_000

/**
 * Makes a test for whether the silence of other nodes means their death, to be asked after each own heartbeat, in
 * milliseconds of any clock. After a gap between its own the store was away, or this machine: the others may have been
 * as silent, and alive.
 */
export function isPeerTimedOut(startedMs: number): (nowMs: number) => boolean {
  let lastMs = startedMs
  let patientUntilMs = startedMs
  return (nowMs) => {
    if (nowMs - lastMs >= gapMs) patientUntilMs = nowMs + peerTimeoutMs
    lastMs = nowMs
    return nowMs >= patientUntilMs
  }
}
