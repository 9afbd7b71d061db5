import type { Store } from '../store/store.ts'

/** How soon a server notices what happens in the queues. */
export interface Pace {
  /** Milliseconds between two looks for what other servers sent, and for what was due while none ran. */
  readonly lookMs: number
  /** Milliseconds between two signs of life of the jobs that run here. */
  readonly beatMs: number
  /** Seconds without a sign of life after which a job is another server's to do. */
  readonly silentSeconds: number
  /** Seconds between two looks for such jobs, by one of all servers. */
  readonly superviseSeconds: number
}

/** What is sent to a queue is begun at once by the server it is sent to; the rest takes its time. */
export const paces: Readonly<Record<Store['kind'], Pace>> = {
  // There is no other server, and what the last one had begun is returned at the start.
  pglite: { lookMs: 15_000, beatMs: 10_000, silentSeconds: 30, superviseSeconds: 30 },
  postgres: { lookMs: 2000, beatMs: 5000, silentSeconds: 20, superviseSeconds: 5 },
}
