import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

/** Two heartbeats, polls of the queues, and a check for due monitors. */
const measuredMs = 10_000

test('an idle server has at most 8 connections and sends at most 2 statements a second', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using _lab = await startLab({ databaseUrl: database.url })
  const queries = vi.spyOn(Client.prototype, 'query')
  try {
    await sleep(measuredMs)
    const sent = queries.mock.calls.map(([query]) => textOf(query))
    queries.mockRestore()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ connections: string }>(
      `select count(*) as connections from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await client.end()

    const statements = sent.flatMap((text) => text.split(';').filter((each) => each.trim() !== ''))
    expect(Number(rows[0]!.connections)).toBeLessThanOrEqual(8)
    expect(sent.filter((text) => text.startsWith('update "node"')).length).toBeGreaterThan(0)
    expect(statements.length / (measuredMs / 1000)).toBeLessThanOrEqual(2)
  } finally {
    queries.mockRestore()
  }
})

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : (query as { readonly text: string }).text
}
