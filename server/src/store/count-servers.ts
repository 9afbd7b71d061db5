import { sql } from 'kysely'
import type { Store } from './store.ts'

/** How long a count is trusted: as long as servers leave between two signs of life. */
const trustMs = 5000

/** Seconds of silence after which a server does not count: three signs of life. */
const heartbeatTimeoutSeconds = 15

/** Counts the servers that work on a store, this one included. In the embedded store there is no other, and it is not asked. */
export function createServerCounter(store: Pick<Store, 'db' | 'kind'>): () => Promise<number> {
  let known: { readonly atMs: number; readonly count: Promise<number> } | undefined
  let last = 1
  const look = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from node where not draining
        and heartbeat_at > now() - make_interval(secs => ${heartbeatTimeoutSeconds}::double precision)`.execute(
      store.db,
    )
    last = Math.max(1, rows[0]?.count ?? 1)
    return last
  }
  return async () => {
    if (store.kind === 'pglite') return 1
    // Whatever keeps the store from telling has not changed how many there are.
    if (known === undefined || Date.now() - known.atMs >= trustMs)
      known = { atMs: Date.now(), count: look().catch(() => last) }
    return known.count
  }
}
