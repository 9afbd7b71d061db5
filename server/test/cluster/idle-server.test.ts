import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

/** Two heartbeats, polls and checks of the queues. */
const measuredMs = 10_000

test('an idle server has at most 8 connections and sends at most 2 queries a second', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using _lab = await startLab({ databaseUrl: database.url })
  const queries = vi.spyOn(Client.prototype, 'query')
  try {
    await sleep(measuredMs)
    const sent = queries.mock.calls.length
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ connections: string }>(
      `select count(*) as connections from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await client.end()

    expect(Number(rows[0]!.connections)).toBeLessThanOrEqual(8)
    expect(sent).toBeGreaterThan(0)
    expect(sent / (measuredMs / 1000)).toBeLessThanOrEqual(2)
  } finally {
    queries.mockRestore()
  }
}, 30_000)
