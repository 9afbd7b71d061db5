import type { PgBoss } from 'pg-boss'
import type { Tracer } from '../kit/span.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of the task queues. */
export interface TaskQueuesDeps {
  readonly boss: PgBoss
  readonly store: Pick<Store, 'db' | 'heartbeatDb' | 'kind' | 'listen'>
  /** Default: tasks are not traced. */
  readonly tracer?: Tracer | undefined
  readonly onError: (error: unknown, action: string) => void
}
