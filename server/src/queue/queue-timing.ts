import type { Store } from '../store/store.ts'

/** How soon a server notices what happens in the queues. */
export interface QueueTiming {
  /** Milliseconds between two looks for what other servers sent, and for what was due while none ran. */
  readonly pollMs: number
  /** Milliseconds between two signs of life of the jobs that run here. */
  readonly heartbeatMs: number
  /** Seconds without a sign of life after which a job is another server's to do. */
  readonly heartbeatTimeoutSeconds: number
  /** Seconds between two looks for such jobs, by one of all servers. */
  readonly superviseSeconds: number
}

/** What is sent to a queue is begun at once by the server it is sent to; the rest takes its time. */
export const queueTimings: Readonly<Record<Store['kind'], QueueTiming>> = {
  // There is no other server, and what the last one had begun is returned at the start.
  pglite: { pollMs: 15_000, heartbeatMs: 10_000, heartbeatTimeoutSeconds: 30, superviseSeconds: 30 },
  postgres: { pollMs: 2000, heartbeatMs: 5000, heartbeatTimeoutSeconds: 20, superviseSeconds: 5 },
}
