/**
 * Gap between two heartbeats of this node after which the peers may have been cut off as well: four
 * heartbeats.
 */
export const heartbeatGapMs = 20_000

/** Time after such a gap in which peers can send a heartbeat again, in milliseconds. */
const graceMs = 30_000

/**
 * Creates a check whether peers without a heartbeat can be declared dead. Call it after each
 * heartbeat of this node, with the milliseconds of any clock. After a gap between its own
 * heartbeats, the store or this machine was unavailable. The peers may be alive and equally unable
 * to send heartbeats.
 */
export function createPeerTimeoutCheck(startedMs: number): (nowMs: number) => boolean {
  let lastMs = startedMs
  let graceEndMs = startedMs
  return (nowMs) => {
    if (nowMs - lastMs >= heartbeatGapMs) graceEndMs = nowMs + graceMs
    lastMs = nowMs
    return nowMs >= graceEndMs
  }
}
