import { sql } from 'kysely'
import type { Store } from '../../../server/src/store/store.ts'
import type { Fleet } from '../fleet.ts'
import type { Records, SessionRecord } from '../load/records.ts'

interface EndedSession {
  readonly id: string
  readonly ttlSeconds: number
  readonly durationMs: number
  readonly endReason: string
}

/** Clocks and timers are compared that differ by a few milliseconds. */
const toleranceMs = 50

/** Compares the bills with what the clients have observed. */
export async function checkBills({ db }: Store, fleet: Fleet, records: Records): Promise<readonly string[]> {
  const broken: string[] = []
  const { rows: scrapes } = await sql<{ count: number }>`
    select count(*)::int as count from ledger where kind = 'scrape' and subject_id not in (select scrape_id from job_page)`.execute(
    db,
  )
  const billed = scrapes[0]?.count ?? 0
  if (billed < records.scrapes || billed > records.scrapeRequests)
    broken.push(`${billed} scrapes are billed, but ${records.scrapes} of ${records.scrapeRequests} succeeded`)
  const { rows } = await sql<EndedSession>`select id, ttl_seconds, duration_ms, end_reason from session`.execute(db)
  const ended = new Map(rows.map((row) => [row.id, row]))
  for (const record of records.sessions) {
    const row = ended.get(record.id)
    if (row === undefined) broken.push(`session ${record.id} was returned, but is not stored`)
    else broken.push(...checkDuration(row, record, fleet))
  }
  return broken
}

function checkDuration(
  { id, ttlSeconds, durationMs, endReason }: EndedSession,
  { requestedAtMs, receivedAtMs, deletionRequestedAtMs, deletedAtMs }: SessionRecord,
  { members }: Fleet,
): readonly string[] {
  // Which of several servers has a session is unknown.
  const killsMs = members.length === 1 ? members[0]!.killsMs : []
  const killedMs = killsMs.find((killMs) => killMs > receivedAtMs)
  const longestMs = Math.min(deletedAtMs ?? Infinity, killedMs ?? Infinity) - requestedAtMs
  const bill = `session ${id} (${endReason}) is billed for ${durationMs} ms`
  if (durationMs > longestMs + toleranceMs) return [`${bill}, but ended within ${longestMs} ms`]
  if (endReason !== 'deleted' || deletionRequestedAtMs === undefined) return []
  const shortestMs = Math.min(ttlSeconds * 1000, deletionRequestedAtMs - receivedAtMs)
  return durationMs < shortestMs - toleranceMs ? [`${bill}, but was used for ${shortestMs} ms`] : []
}
