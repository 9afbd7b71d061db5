import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'

/** The values of the metrics without labels, by name, and those of the isolation layers. */
async function readMetrics(lab: Lab): Promise<Readonly<Record<string, number>>> {
  const { body } = await lab.api('GET', '/metrics')
  const lines = String(body['text']).matchAll(/^(bowline_\w+(?:\{layer="[^"]+"\})?) (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)]))
}

test('/metrics has the state of jobs, webhooks, monitors, the database and the server', async () => {
  await using site = await startSite({ '/never-answers': () => undefined })
  await using lab = await startLab()
  const webhook = { url: site.url('/missing'), events: ['started'] }
  const urls = [site.url('/never-answers'), site.url('/never-answers?2')]
  await lab.api('POST', '/v2/batch/scrape', { urls, webhook })
  const monitor = {
    name: 'late',
    schedule: { cron: '0 6 * * *' },
    targets: [{ type: 'scrape', urls: [site.url('/')] }],
  }
  await lab.api('POST', '/v2/monitor', monitor)
  await using store = await openStore({ dataDir: lab.dataDir, databaseUrl: lab.server.config.databaseUrl })
  await sql`update monitor set next_run_at = now() - interval '5 minutes'`.execute(store.db)
  await sql`update job set created_at = now() - interval '90 seconds'`.execute(store.db)
  await expect
    .poll(async () => (await sql`select 1 from webhook_delivery where status = 'pending'`.execute(store.db)).rows)
    .toHaveLength(1)

  const metrics = await readMetrics(lab)

  expect(metrics).toMatchObject({
    bowline_database_up: 1,
    bowline_nodes_alive: 1,
    bowline_draining: 0,
    bowline_jobs_open: 1,
    bowline_job_pages_waiting: 2,
    bowline_webhooks_pending: 1,
    bowline_ready: 1,
    bowline_monitor_checks_late: 1,
    'bowline_isolation_layer{layer="chromium sandbox"}': 1,
  })
  expect(metrics['bowline_job_oldest_seconds']).toBeGreaterThanOrEqual(90)
  expect(metrics['bowline_data_dir_free_bytes']).toBeGreaterThan(1e6)
  expect(metrics['bowline_database_query_seconds']).toBeGreaterThan(0)
})
