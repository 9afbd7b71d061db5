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

/**
 * Returns a duration or a number of credits, which some services send as a string. Returns
 * `undefined` for everything else, such as `null` while it is not known.
 */
export function parseFigure(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
