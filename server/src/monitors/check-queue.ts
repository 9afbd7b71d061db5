import type { Queue } from '../queue/queue.ts'

/** The queue of checks. If a server dies, the scheduler requeues its checks, not the queue. */
export const checkQueue: Queue<{ readonly id: string }> = { name: 'monitor-check', expireSeconds: 4 * 3600 }
