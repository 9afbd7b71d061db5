import { inject } from 'vitest'
import { postgresAt, type PostgresAddress } from './postgres.ts'

/** The PostgreSQL of this test run, started on first use and stopped at the end. */
export async function sharedPostgres(): Promise<PostgresAddress> {
  const response = await fetch(inject('postgresBroker'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return postgresAt(text)
}
