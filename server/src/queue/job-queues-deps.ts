import type { PgBoss } from 'pg-boss'
import type { Store } from '../store/store.ts'

/** What jobs are made with. */
export interface JobQueuesDeps {
  readonly boss: PgBoss
  readonly store: Pick<Store, 'db' | 'kind' | 'listen'>
  readonly onError: (error: unknown, what: string) => void
}
