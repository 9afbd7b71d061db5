import { sql } from 'kysely'
import { heartbeatMs, unresponsiveAfterSeconds } from './node-liveness.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds for which a count is cached. */
const cacheMs = heartbeatMs

/**
 * Returns a function that counts the servers on a store, including this one. Always 1 in the
 * embedded store.
 */
export function createServerCounter(store: Pick<Store, 'db' | 'kind'>): () => Promise<number> {
  let known: { readonly atMs: number; readonly count: Promise<number> } | undefined
  let last = 1
  const query = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from node where not draining
        and heartbeat_at > now() - make_interval(secs => ${unresponsiveAfterSeconds}::double precision)`.execute(
      store.db,
    )
    last = Math.max(1, rows[0]?.count ?? 1)
    return last
  }
  return async () => {
    if (store.kind === 'pglite') return 1
    // During a store outage, returns the last known count.
    if (known === undefined || performance.now() - known.atMs >= cacheMs)
      known = { atMs: performance.now(), count: query().catch(() => last) }
    return known.count
  }
}
