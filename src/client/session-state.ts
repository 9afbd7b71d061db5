/**
 * Whether a session with this status still runs or is about to end. Services write the statuses in
 * upper or lower case. Other statuses, and none, count as ended.
 */
export function isAliveStatus(status: unknown): boolean {
  return typeof status === 'string' && aliveStatuses.has(status.toLowerCase())
}

const aliveStatuses: ReadonlySet<string> = new Set([
  'accepted',
  'active',
  'closing',
  'creating',
  'deleting',
  'ending',
  'pending',
  'queued',
  'resuming',
  'running',
  'starting',
  'stopping',
  'suspended',
  'suspending',
  'terminating',
])

/** Whether a response with this status says that the session does not exist, if it has a body. */
export function isGoneStatus(status: number): boolean {
  return status === 404 || status === 410
}

/**
 * Whether a response with this status to a deletion may come from a service that lacks the route
 * with the id in the path, and expects it in the body. It may also lack the session.
 */
export function mayNeedIdInBody(status: number): boolean {
  return [400, 404, 405, 501].includes(status)
}

/**
 * Returns a duration or a number of credits, which some services send as a string. Returns
 * `undefined` for everything else, such as `null` while it is not known.
 */
export function parseFigure(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
