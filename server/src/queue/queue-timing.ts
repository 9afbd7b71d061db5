import { taskTakeoverSeconds } from '../nodes/node-liveness.ts'
import type { Store } from '../store/store.ts'

/** Poll and heartbeat intervals of the task queues. */
export interface QueueTiming {
  /**
   * Milliseconds between polls of all queues, in one statement, for tasks that have become due,
   * whose notification was lost, or whose server is gone. Undefined: each worker polls its own
   * queue.
   */
  readonly duePollMs: number | undefined
  /** Milliseconds between polls of each worker for tasks of its queue. */
  readonly pollMs: number
  /** Milliseconds between heartbeats of the tasks that run on this server. */
  readonly heartbeatMs: number
  /** Seconds without a heartbeat after which another server takes over a task. */
  readonly heartbeatTimeoutSeconds: number
  /** Seconds between the passes of pg-boss over all tasks of each server. */
  readonly superviseSeconds: number
  /**
   * Seconds in which only one server makes such a pass. Short, because a poll that finds a lost
   * task starts one.
   */
  readonly superviseClaimSeconds: number
}

/** Timing per store. Tasks that a server sends to its own workers start at once, without a poll. */
export const queueTimings: Readonly<Record<Store['kind'], QueueTiming>> = {
  // There is no other server, and tasks that the previous process had started are requeued at
  // startup.
  pglite: {
    duePollMs: undefined,
    pollMs: 15_000,
    heartbeatMs: 10_000,
    heartbeatTimeoutSeconds: 30,
    superviseSeconds: 30,
    superviseClaimSeconds: 30,
  },
  // Servers are notified of tasks, so they poll seldom: 50 idle servers share one PostgreSQL.
  postgres: {
    duePollMs: 5000,
    pollMs: 60_000,
    heartbeatMs: 5000,
    heartbeatTimeoutSeconds: taskTakeoverSeconds,
    superviseSeconds: 300,
    superviseClaimSeconds: 2,
  },
}
