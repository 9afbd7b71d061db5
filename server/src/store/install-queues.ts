import { getConstructionPlans } from 'pg-boss'
import type { RawDatabase } from './store.ts'

/** Returns the SQL that creates the tables of the job queues in the schema `pgboss`. */
export function queueSchemaSql(): string {
  return getConstructionPlans()
}

/**
 * Creates the tables of the job queues in an empty database, so that the template includes them.
 */
export async function installQueues(raw: RawDatabase): Promise<void> {
  await raw.exec(queueSchemaSql())
}
