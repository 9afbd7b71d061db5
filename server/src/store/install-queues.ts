import { getConstructionPlans } from 'pg-boss'
import type { RawDatabase } from './store.ts'

/** The tables of the job queues as SQL: equal texts make equal tables. They have a schema of their own, `pgboss`. */
export function queueSchemaSql(): string {
  return getConstructionPlans()
}

/** Makes the tables of the job queues in an empty database, so that they come with the template of later ones. */
export async function installQueues(raw: RawDatabase): Promise<void> {
  await raw.exec(queueSchemaSql())
}
