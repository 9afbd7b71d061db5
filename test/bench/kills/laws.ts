import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStore } from '../../../server/src/store/open.ts'
import type { Store } from '../../../server/src/store/store.ts'
import { connectCdp } from '../../lab/cdp-socket.ts'
import { processesNaming } from '../../lab/browser-processes.ts'
import type { Fleet } from './fleet.ts'
import type { Records } from './workload.ts'

/** Maximum time in which all work must come to its end after the faults, in milliseconds. */
const settleMs = 150_000

/** Waits until all work has ended, stops the servers, and returns the laws that do not hold. */
export async function findBrokenLaws(fleet: Fleet, records: Records): Promise<readonly string[]> {
  const broken: string[] = [...(await settle(fleet, records)), ...(await checkProfiles(fleet, records))]
  await fleet.stop()
  {
    const { dataDir } = fleet.members[0]!
    await using store = await openStore({ dataDir, databaseUrl: fleet.database?.url })
    for (const [law, rows] of Object.entries(await queryLaws(store, fleet)))
      if (rows.length > 0) broken.push(`${law}: ${JSON.stringify(rows.slice(0, 5))} (${rows.length})`)
    broken.push(...(await checkBills(store, fleet, records)))
  }
  for (const { dataDir, temporaryDir } of fleet.members) {
    const processes = processesNaming(dataDir)
    if (processes.length > 0) broken.push(`processes are left: ${processes.join(' ')}`)
    for (const folder of [temporaryDir, join(dataDir, 'run'), join(dataDir, 'pending-profiles')]) {
      const left = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'))
      if (left.length > 0) broken.push(`files are left in ${folder}: ${left.join(' ')}`)
    }
  }
  return broken
}

type Body = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- answers have every shape

async function get({ members, apiKey }: Fleet, path: string): Promise<Body | undefined> {
  const response = await fetch(new URL(path, members[0]!.url), { headers: { authorization: `Bearer ${apiKey}` } })
  return response.ok ? ((await response.json()) as Body) : undefined
}

async function settle(fleet: Fleet, { jobs }: Records): Promise<readonly string[]> {
  const endMs = Date.now() + settleMs
  for (;;) {
    const pending: string[] = []
    for (const { path, id } of jobs) {
      const job = await get(fleet, `${path}/${id}?limit=1`)
      if (job?.['status'] !== 'completed')
        pending.push(`${path} ${id}: ${job?.['status']} ${job?.['completed']}/${job?.['total']}`)
    }
    const sessions = (await get(fleet, '/v2/browser'))?.['sessions'] as { id: string; status: string }[] | undefined
    pending.push(
      ...(sessions ?? [{ id: 'unknown', status: 'active' }])
        .filter(({ status }) => status === 'active')
        .map(({ id }) => `session ${id} is active`),
    )
    if (pending.length === 0) return []
    if (Date.now() > endMs) return pending.map((each) => `not ended after ${settleMs / 1000} s: ${each}`)
    await sleep(500)
  }
}

/** Reads the value that the last session of each profile has saved. */
async function checkProfiles({ members, apiKey }: Fleet, { profiles }: Records): Promise<readonly string[]> {
  const broken: string[] = []
  for (const [name, values] of profiles) {
    const response = await fetch(new URL('/v2/browser', members[0]!.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ttl: 60, profile: { name, saveChanges: false } }),
    })
    const { id, cdpUrl, ...rest } = (await response.json()) as Record<string, string>
    if (cdpUrl === undefined) {
      broken.push(`the profile ${name} cannot be opened: ${JSON.stringify(rest)}`)
      continue
    }
    await using cdp = await connectCdp(cdpUrl)
    const { result } = await cdp.call('Storage.getCookies')
    const cookies = (result?.['cookies'] ?? []) as { name: string; value: string }[]
    const found = cookies.find((cookie) => cookie.name === 'value')?.value ?? ''
    if (!values.includes(found))
      broken.push(`the profile ${name} has ${found || 'nothing'} instead of ${values.join(' or ')}`)
    await fetch(new URL(`/v2/browser/${id}`, members[0]!.url), {
      method: 'DELETE',
      headers: { authorization: `Bearer ${apiKey}` },
    })
  }
  return broken
}

/** Each query returns what breaks its law. */
async function queryLaws({ db }: Store, { credits }: Fleet): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const all = async (query: ReturnType<typeof sql>): Promise<readonly unknown[]> => (await query.execute(db)).rows
  return {
    'a session has not ended': await all(
      sql`select id, status from session where status = 'active' or ended_at is null`,
    ),
    'a session is not billed once': await all(sql`
      select id, status, end_reason, credits_billed from session where credits_billed is distinct from
        (select sum(credits)::int from ledger where subject_id = session.id and kind = 'session' having count(*) = 1)`),
    'the ledger differs from the balance': await all(sql`
      select name, credits, (select sum(credits) from ledger where team_id = team.id) as billed from team
      where credits + coalesce((select sum(credits) from ledger where team_id = team.id), 0) <> ${credits}::bigint`),
    'a hold is left': await all(sql`select * from hold`),
    'a reservation is left': await all(sql`
      select name, reserved_credits, active_sessions, active_scrapes from team
      where reserved_credits <> 0 or active_sessions <> 0 or active_scrapes <> 0`),
    'a session is billed beyond its TTL': await all(
      sql`select id, duration_ms from session where duration_ms > ttl_seconds * 1000`,
    ),
    'a document is not billed once or not stored': await all(sql`
      select job_id, position, state from job_page where state = 'completed' and not
        ((select count(*) from ledger where subject_id = scrape_id) = 1 and exists (select from scrape where id = scrape_id))`),
    'a page without a document is billed': await all(sql`
      select job_id, position, state from job_page where state <> 'completed' and exists (select from ledger where subject_id = scrape_id)`),
    'a page failed because of the server': await all(sql`
      select error_code, error, count(*)::int from job_page where state = 'failed' and error_code not like 'SCRAPE_%' group by 1, 2`),
    'a page without a document has no error': await all(sql`
      select job_id, position, state from job_page where state in ('failed', 'blocked') and (error_code is null or error is null)`),
    'a page of an ended job has no result': await all(sql`
      select job_id, position from job_page join job on job.id = job_id where job.status = 'completed' and state = 'queued'`),
    'a job counts its pages wrongly': await all(sql`
      select id, total, job.completed, job.failed, job.credits, counted.* from job cross join lateral (
        select count(*) as pages, count(*) filter (where state = 'completed') as documents,
          count(*) filter (where state in ('failed', 'blocked')) as errors, coalesce(sum(ledger.credits), 0) as billed
        from job_page left join ledger on subject_id = scrape_id where job_id = job.id) as counted
      where (total, job.completed, job.failed, job.credits) is distinct from (pages, documents, errors, billed)`),
    'a lease is left': await all(sql`select name, lease_session_id from profile where lease_expires_at > now()`),
    'an orderly end neither saved nor explains': await all(sql`
      select id, end_reason from session where profile_save and status = 'destroyed'
        and end_reason in ('deleted', 'ttl', 'idle', 'drained') and profile_version is null and profile_error is null`),
  }
}

async function checkBills({ db }: Store, { members }: Fleet, records: Records): Promise<readonly string[]> {
  const broken: string[] = []
  const { rows: scrapes } = await sql<{ count: number }>`
    select count(*)::int as count from ledger where kind = 'scrape' and subject_id not in (select scrape_id from job_page)`.execute(
    db,
  )
  const billed = scrapes[0]?.count ?? 0
  if (billed < records.scrapes || billed > records.scrapeRequests)
    broken.push(`${billed} scrapes are billed, but ${records.scrapes} of ${records.scrapeRequests} succeeded`)
  const { rows } = await sql<{ id: string; durationMs: number; endReason: string }>`
    select id, duration_ms, end_reason from session`.execute(db)
  const ended = new Map(rows.map((row) => [row.id, row]))
  for (const { id, requestedAtMs, deletedAtMs } of records.sessions) {
    const row = ended.get(id)
    if (row === undefined) {
      broken.push(`session ${id} was returned, but is not stored`)
      continue
    }
    // A lost session has ended at the last kill or before.
    const lastKillMs = Math.max(...members.flatMap(({ endsMs }) => endsMs), 0)
    const latestMs =
      deletedAtMs ?? (row.endReason === 'lost' && lastKillMs > 0 && members.length === 1 ? lastKillMs : Infinity)
    if (row.durationMs > latestMs - requestedAtMs)
      broken.push(
        `session ${id} (${row.endReason}) is billed for ${row.durationMs} ms, but ended within ${latestMs - requestedAtMs} ms`,
      )
  }
  return broken
}
