import { taskTakeoverSeconds } from '../nodes/node-liveness.ts'
import type { Store } from '../store/store.ts'

/** Poll and heartbeat intervals of the task queues. */
export interface QueueTiming {
  /** Milliseconds between polls for tasks from other servers and for tasks that have become due. */
  readonly pollMs: number
  /** Milliseconds between heartbeats of the tasks that run on this server. */
  readonly heartbeatMs: number
  /** Seconds without a heartbeat after which another server takes over a task. */
  readonly heartbeatTimeoutSeconds: number
  /** Seconds between checks for such tasks, which one of the servers makes. */
  readonly superviseSeconds: number
}

/** Timing per store. Tasks that a server sends to its own workers start at once, without a poll. */
export const queueTimings: Readonly<Record<Store['kind'], QueueTiming>> = {
  // There is no other server, and tasks that the previous process had started are requeued at
  // startup.
  pglite: { pollMs: 15_000, heartbeatMs: 10_000, heartbeatTimeoutSeconds: 30, superviseSeconds: 30 },
  postgres: { pollMs: 2000, heartbeatMs: 5000, heartbeatTimeoutSeconds: taskTakeoverSeconds, superviseSeconds: 5 },
}
