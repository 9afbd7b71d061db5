import { assertLaw } from '../part.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Observations } from './observations.ts'

/** Each query returns what breaks its law. */
const laws: Readonly<Record<string, string>> = {
  'every session ends': `select id, status from session where status = 'active' or ended_at is null`,
  'every session is billed once': `
    select id, status, end_reason, credits_billed from session where credits_billed is distinct from
      (select sum(credits)::int from ledger where subject_id = session.id having count(*) = 1)`,
  'every session has the right price': `
    select id, status, duration_ms, credits_billed from session where credits_billed <>
      case when status = 'error' then 0 else greatest(2, ceil(duration_ms / 30000.0)) end`,
  'no session is billed beyond its lifetime': `select id from session where duration_ms > ttl_seconds * 1000`,
  'no subject is billed twice': `select subject_id from ledger group by kind, subject_id having count(*) > 1`,
  'no hold is left': `select * from hold`,
  'no reservation is left': `
    select id, reserved_credits, active_sessions, active_scrapes from team
    where reserved_credits <> 0 or active_sessions <> 0 or active_scrapes <> 0`,
  'no lease is left': `
    select name, fence from profile where lease_expires_at between now() and now() + interval '31 seconds'`,
  'the last version of a profile is current': `
    select name from profile where current_version is distinct from
      (select max(version) from profile_version where profile_id = profile.id)`,
  'no stopped server is registered': `select id from node`,
}

/** Checks a simulation at its end. Throws BrokenLaw. */
export function checkLaws(database: SimulatedDatabase, observations: Observations): void {
  if (observations.broken !== undefined) throw observations.broken
  for (const [law, query] of Object.entries(laws)) {
    const { rows } = database.query(query)
    assertLaw(rows.length === 0, law, { rows: rows.slice(0, 3) })
  }
  checkBalances(database, observations)
  checkCharges(database, observations)
  checkSessions(database, observations)
}

function checkBalances(database: SimulatedDatabase, { teams }: Observations): void {
  const { rows } = database.query(
    `select id, credits + coalesce((select sum(credits) from ledger where team_id = team.id), 0)::bigint as granted from team`,
  )
  const granted = new Map(rows.map(({ id, granted: credits }) => [id, credits]))
  for (const { id, credits } of teams)
    assertLaw(granted.get(id) === credits, 'the ledger equals the balance', { credits, found: granted.get(id) })
}

function checkCharges(database: SimulatedDatabase, { charges }: Observations): void {
  const { rows } = database.query(`select subject_id, credits from ledger where kind = 'scrape'`)
  const billed = new Map(rows.map(({ subject_id: id, credits }) => [id, credits]))
  for (const [id, { credits, isConfirmed }] of charges)
    assertLaw(!isConfirmed || billed.get(id) === credits, 'confirmed work is billed', {
      credits,
      billed: billed.get(id),
    })
}

function checkSessions(database: SimulatedDatabase, { sessions }: Observations): void {
  const { rows } = database.query(`select id, status, end_reason, ttl_seconds, duration_ms from session`)
  for (const {
    id,
    status,
    end_reason: reason,
    ttl_seconds: ttl,
    duration_ms: durationMs,
  } of rows as unknown as readonly EndedRow[]) {
    const observed = sessions.get(id)
    if (observed === undefined || status === 'error') continue
    const { admittedAtMs, startedAtMs, endedAtMs, deletionRequestedAtMs } = observed
    const longestMs = (endedAtMs ?? Infinity) - admittedAtMs
    const facts = { reason, durationMs, admittedAtMs, startedAtMs, endedAtMs, deletionRequestedAtMs }
    assertLaw(durationMs <= longestMs + 1, 'no session is billed for longer than it lived', facts)
    if (reason !== 'deleted' || deletionRequestedAtMs === undefined) continue
    const shortestMs = Math.min(ttl * 1000, deletionRequestedAtMs - startedAtMs)
    assertLaw(durationMs >= shortestMs - 1, 'a session is billed for the time it lived', facts)
  }
}

interface EndedRow {
  readonly id: string
  readonly status: string
  readonly end_reason: string
  readonly ttl_seconds: number
  readonly duration_ms: number
}
