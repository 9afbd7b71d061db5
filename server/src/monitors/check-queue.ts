import type { Queue } from '../queue/queue.ts'

/** Checks to be done. Those that lose their server are sent again by the schedule, not by the queue. */
export const checkQueue: Queue<{ readonly id: string }> = { name: 'monitor-check', expireSeconds: 4 * 3600 }
