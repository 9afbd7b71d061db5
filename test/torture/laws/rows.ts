import { sql } from 'kysely'
import type { Store } from '../../../server/src/store/store.ts'
import type { JobRecord } from '../load/records.ts'

/** Rows of the database that break a law, and how many there are in total. */
export interface CheckedRows {
  readonly broken: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

/** SQL condition of rows of `pgboss.job`: a task that still has to be done, or has failed. */
export const isOpenTask = String.raw`name not like '\_\_%' and state in ('created', 'retry', 'active', 'failed')`

/** Checks the laws that the database alone can show. */
export async function checkRows(
  store: Store,
  {
    credits,
    jobs,
    isOrderly,
  }: { readonly credits: number; readonly jobs: readonly JobRecord[]; readonly isOrderly: boolean },
): Promise<CheckedRows> {
  const broken: string[] = []
  for (const [law, query] of Object.entries({
    ...sessionLaws,
    ...(isOrderly ? orderlyLaws : {}),
    ...accountLaws(credits),
    ...pageLaws,
    ...jobLaws(jobs),
    ...checkLaws,
  })) {
    const { rows } = await query.execute(store.db)
    if (rows.length > 0) broken.push(`${law}: ${JSON.stringify(rows.slice(0, 5))} (${rows.length})`)
  }
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from session) as sessions,
      (select count(*)::int from job_page where state in ('completed', 'failed')) as pages,
      (select count(*)::int from job) as jobs,
      (select count(*)::int from monitor_check) as checks,
      (select count(*)::int from ledger) as charges,
      (select count(*)::int from profile_version) as versions`.execute(store.db)
  return { broken, counts: rows[0] ?? {} }
}

type Laws = Readonly<Record<string, ReturnType<typeof sql>>>

/** Each query returns what breaks its law. */
const sessionLaws: Laws = {
  'a session has not ended': sql`select id, status from session where status = 'active' or ended_at is null`,
  'a session is not billed once': sql`
    select id, status, end_reason, credits_billed from session where credits_billed is distinct from
      (select sum(credits)::int from ledger where subject_id = session.id and kind = 'session' having count(*) = 1)`,
  'a session has the wrong price': sql`
    select id, status, duration_ms, credits_billed from session where credits_billed <>
      case when status = 'error' then 0 else greatest(2, ceil(duration_ms / 30000.0)) end`,
  'a session is billed beyond its TTL': sql`select id, duration_ms from session where duration_ms > ttl_seconds * 1000`,
  'a lease is left': sql`
    select name, lease_session_id from profile where lease_expires_at between now() and now() + interval '31 seconds'`,
  'a version of a profile is not the last one': sql`
    select name, current_version, last_version from profile where current_version is distinct from
      (select max(version) from profile_version where profile_id = profile.id)`,
  'an orderly end neither saved nor explains': sql`
    select id, end_reason from session where profile_save and status = 'destroyed'
      and end_reason in ('deleted', 'ttl', 'idle', 'drained') and profile_version is null and profile_error is null`,
  'a stopped server is registered': sql`select id, url from node`,
}

/** Laws of runs in which no process was killed. */
const orderlyLaws: Laws = {
  'a session was lost although no process was killed': sql`
    select id, end_reason, error from session where end_reason in ('crashed', 'lost')`,
}

/** Laws of the accounts of teams that started with these credits. */
export function accountLaws(credits: number): Laws {
  return {
    'the ledger differs from the balance': sql`
      select name, credits, billed from team cross join lateral (
        select coalesce(sum(charge.credits), 0) as billed from (
          select credits from ledger where team_id = team.id
          union all select credits from ledger_day where team_id = team.id) as charge) as sums
      where credits + billed <> ${credits}::bigint`,
    'a subject is billed twice': sql`
      select kind, subject_id, count(*)::int from ledger group by 1, 2 having count(*) > 1`,
    'a hold is left': sql`select * from hold`,
    'a reservation is left': sql`
      select name, reserved_credits, active_sessions, active_scrapes from team
      where reserved_credits <> 0 or active_sessions <> 0 or active_scrapes <> 0`,
  }
}

const pageLaws: Laws = {
  'a document is not billed once or not stored': sql`
    select job_id, position, state from job_page where state = 'completed' and not
      ((select count(*) from ledger where subject_id = scrape_id) = 1 and exists (select from scrape where id = scrape_id))`,
  'a page without a document is billed': sql`
    select job_id, position, state from job_page where state <> 'completed' and exists (select from ledger where subject_id = scrape_id)`,
  'a page failed because of the server': sql`
    select error_code, error, count(*)::int from job_page where state = 'failed' and error_code not like 'SCRAPE_%' group by 1, 2`,
  'a page that responds failed': sql`
    select url, error_code, error from job_page where state = 'failed' and url not like '%fails%'`,
  'a page without a document has no error': sql`
    select job_id, position, state from job_page where state in ('failed', 'blocked') and (error_code is null or error is null)`,
  'a page of an ended job has no result': sql`
    select job_id, position from job_page join job on job.id = job_id where job.status = 'completed' and state = 'queued'`,
  'a page is still claimed': sql`select job_id, position, holder from job_page where holder is not null`,
}

function jobLaws(jobs: readonly JobRecord[]): Laws {
  const accepted = JSON.stringify(jobs.map(({ id, pages }) => ({ id, pages: pages ?? null })))
  return {
    'a job has not ended': sql`select id, status, error from job where status <> 'completed'`,
    'an accepted job is not stored with all its pages': sql`
      select accepted.id, accepted.pages, total from json_to_recordset(${accepted}::json) as accepted (id uuid, pages int)
      left join job on job.id = accepted.id where job.id is null or accepted.pages <> total`,
    'a job counts its pages wrongly': sql`
      select id, total, job.completed, job.failed, job.credits, counted.* from job cross join lateral (
        select count(*) as pages, count(*) filter (where state = 'completed') as documents,
          count(*) filter (where state in ('failed', 'blocked')) as errors, coalesce(sum(ledger.credits), 0) as billed
        from job_page left join ledger on subject_id = scrape_id where job_id = job.id) as counted
      where (total, job.completed, job.failed, job.credits) is distinct from (pages, documents, errors, billed)`,
    'a job has not sent each of its events once': sql`
      select job.id, kind, events.* from job cross join lateral (
        select count(*) filter (where event like '%.started') as started,
          count(*) filter (where event like '%.page') as pages,
          count(*) filter (where event like '%.completed') as completed
        from webhook_delivery where job_id = job.id::text) as events
      where (events.started, events.completed, events.pages) is distinct from
        (1, 1, (select count(*) from job_page where job_id = job.id and state in ('completed', 'failed')))`,
    'a task is left': sql`
      select name, state, count(*)::int from pgboss.job where ${sql.raw(isOpenTask)} group by 1, 2`,
  }
}

const checkLaws: Laws = {
  'a check has not ended': sql`select id, status, error from monitor_check where status not in ('completed', 'partial')`,
  'a check is not billed once': sql`
    select id, status, billing_status, actual_credits from monitor_check where billing_status not in ('confirmed', 'released')
      or (billing_status = 'confirmed') <> (actual_credits is not distinct from
        (select sum(credits)::int from ledger where subject_id = monitor_check.id having count(*) = 1))`,
  'a check has not sent its end once': sql`
    select id from monitor_check where (select count(*) from webhook_delivery
      where job_id = monitor_check.id::text and event = 'monitor.check.completed') <> 1`,
}
