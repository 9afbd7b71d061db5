import { HealthRecorder } from '../nodes/health-recorder.ts'
import type { SessionQueue } from '../sessions/session-queue.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SharedDeps } from './shared-deps.ts'

/** Starts storing samples of the health of this server. */
export function startHealthRecorder(
  { store, nodeId, metrics, onError }: SharedDeps,
  sessions: Pick<Sessions, 'liveSessionCount' | 'maxSessions'>,
  sessionQueue: Pick<SessionQueue, 'length'>,
): HealthRecorder {
  return new HealthRecorder({
    db: store.db,
    nodeId,
    readCounts: async () => {
      const requests = await metrics.sumHistogram('bowline_request_seconds')
      const errors = await metrics.sumHistogram('bowline_request_seconds', ({ status }) => Number(status) >= 500)
      const waits = await metrics.sumHistogram('bowline_session_queue_wait_seconds')
      return {
        sessions: sessions.liveSessionCount,
        maxSessions: sessions.maxSessions,
        waiting: sessionQueue.length,
        requests: requests.count,
        errors: errors.count,
        waits: waits.count,
        waitedSeconds: waits.sum,
      }
    },
    onError,
  })
}
