import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { createMonitor } from '../monitors/fixture.ts'

/** Connections for requests of a server with the default settings. */
const requestConnections = 6

test('heartbeats of servers and tasks, and leases of profiles and checks, do not wait for requests that use all connections', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using site = await startSite({ '/silent': () => undefined })
  await using lab = await startLab({ databaseUrl: database.url })
  await lab.createSession({ profile: { name: 'acme' } })
  const targets = [{ type: 'scrape', urls: [site.url('/silent')], scrapeOptions: { timeout: 120_000 } }]
  const { id } = await createMonitor(lab.api, { targets })
  await lab.api('POST', `/v2/monitor/${id}/run`, {})
  await site.requests.waitFor('/silent')
  const watching = new Client({ connectionString: database.url })
  const locking = new Client({ connectionString: database.url })
  await Promise.all([watching.connect(), locking.connect()])
  await using clients = new AsyncDisposableStack()
  for (const client of [watching, locking]) clients.defer(async () => client.end())
  const read = async (): Promise<Readonly<Record<string, Date>>> => {
    const { rows } = await watching.query(`select
      (select heartbeat_at from node) as server,
      (select lease_expires_at from profile) as profile,
      (select lease_expires_at from monitor_check) as check,
      (select heartbeat_on from pgboss.job where name = 'monitor-check' and state = 'active') as task`)
    return rows[0]
  }

  await locking.query('begin; lock table webhook_delivery')
  const requests = Array.from({ length: 12 }, async () => lab.api('GET', '/v2/team/webhooks/deliveries'))
  const blocked = async (): Promise<number> => {
    const { rows } = await watching.query<{ readonly count: number }>(
      `select count(*)::integer from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }
  await expect.poll(blocked, { timeout: 10_000 }).toBeGreaterThanOrEqual(requestConnections)
  const before = await read()

  for (const name of ['server', 'profile', 'check', 'task'])
    await expect
      .poll(async () => (await read())[name]?.getTime(), { timeout: 25_000 })
      .toBeGreaterThan(before[name]!.getTime())
  expect(await blocked()).toBe(requestConnections)

  await locking.query('rollback')
  await Promise.all(requests)
})
