import type { PgBoss } from 'pg-boss'
import type { Store } from '../store/store.ts'

/** Dependencies of the task queues. */
export interface TaskQueuesDeps {
  readonly boss: PgBoss
  readonly store: Pick<Store, 'db' | 'kind' | 'listen'>
  readonly onError: (error: unknown, action: string) => void
}
