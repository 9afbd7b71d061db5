/** Milliseconds between heartbeats of a node. The times below follow from it. */
export const heartbeatMs = 5000

/** A node without a heartbeat for three intervals gets no new work and is not counted. */
export const unresponsiveAfterSeconds = 15

/**
 * A task without a heartbeat for 20 s runs on another node. Shorter than `deadAfterSeconds`,
 * because running a task twice does no harm.
 */
export const taskTakeoverSeconds = 20

/**
 * A node without a heartbeat for six intervals is dead: its sessions end, and its holds and leases
 * are released. Longer, because ending a session cannot be undone.
 */
export const deadAfterSeconds = 30

/** The lease of a monitor check that is not renewed for 30 s expires. It is renewed every 10 s. */
export const checkLeaseSeconds = 30
