import type { Queue } from '../queue/queue.ts'

/**
 * The queue of checks. If a server dies, `requeueStrandedChecks` queues its checks again. A retry
 * by the queue itself does nothing while another server has the lease.
 */
export const checkQueue: Queue<{ readonly id: string }> = {
  name: 'monitor-check',
  expireSeconds: 4 * 3600,
  isSharedByTeams: true,
}
