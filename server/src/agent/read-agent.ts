import type { Kysely } from 'kysely'
import type { AgentStatusResponse, AgentTraceResponse } from 'bowline/contract/agent'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import { expiryOf, jobRetentionMs } from '../kit/job-retention.ts'
import { sessionUrls } from '../sessions/urls.ts'
import type { Database } from '../store/schema.ts'
import { findAgent, listEvents, listSteps, type AgentJobRow } from './agent-queries.ts'
import { findSnapshot } from './agent-run.ts'
import { listAgentSessions, sumSessionCredits } from './agent-sessions.ts'
import { createEvent } from './trace.ts'

/** Returns an agent of a team. Throws AGENT_NOT_FOUND, also for one of another team. */
export async function getTeamAgent(db: Kysely<Database>, id: string, teamId: string): Promise<AgentJobRow> {
  const job = isUuid(id) ? await findAgent(db, id) : undefined
  if (job?.teamId === teamId && expiresAt(job).getTime() >= Date.now()) return job
  throw new BowlineError('AGENT_NOT_FOUND', 'Agent job not found')
}

/** Returns the status and result of an agent. */
export async function readAgentStatus(db: Kysely<Database>, job: AgentJobRow): Promise<AgentStatusResponse> {
  const { status, answer, error, stopReason, request } = job
  return {
    success: status === 'processing' || status === 'completed',
    // Public clients reject another status.
    status: status === 'cancelled' ? 'failed' : status,
    ...(answer === undefined ? {} : { data: answer.data }),
    ...(error === undefined ? {} : { error }),
    ...(stopReason === undefined ? {} : { stopReason }),
    model: request.model ?? defaultModel,
    expiresAt: expiresAt(job).toISOString(),
    creditsUsed: await creditsOf(db, job),
  }
}

/** Returns the steps of an agent. */
export async function readAgentTrace(
  db: Kysely<Database>,
  job: AgentJobRow,
  { baseUrl, hasLiveView }: { readonly baseUrl: string; readonly hasLiveView: boolean },
): Promise<AgentTraceResponse> {
  const events = await listEvents(db, job.id)
  const active = (await listAgentSessions(db, job)).filter(({ status }) => status === 'active')
  const sessions = active.map((row) => {
    const { liveViewUrl } = sessionUrls(baseUrl, row)
    return { id: row.id, liveViewUrl, viewport: { width: 1280, height: 720 } }
  })
  const end = job.finishedAt === undefined ? [] : endEvents(job, job.finishedAt, events.length)
  const creditsUsed = await creditsOf(db, job)
  return {
    success: true,
    id: job.id,
    events: [...events, ...end],
    creditsUsed,
    ...(hasLiveView ? { activeBrowserSessions: sessions } : {}),
  }
}

/** Returns the output of a step. Throws AGENT_NOT_FOUND. */
export async function readAgentSnapshot(db: Kysely<Database>, job: AgentJobRow, snapshotId: string): Promise<string> {
  const snapshot = findSnapshot(await listSteps(db, job.id), snapshotId)
  if (snapshot !== undefined) return snapshot
  throw new BowlineError('AGENT_NOT_FOUND', 'Snapshot not found', { hint: 'The trace has the ids of snapshots.' })
}

/** `model` of agents whose request names none. Clients accept only names of the public service. */
const defaultModel = 'spark-1-pro'

async function creditsOf(db: Kysely<Database>, job: AgentJobRow): Promise<number> {
  return job.credits + (await sumSessionCredits(db, job))
}

function expiresAt({ createdAt, finishedAt = createdAt, status }: AgentJobRow): Date {
  return expiryOf(new Date(finishedAt.getTime() + jobRetentionMs), status === 'processing')
}

function endEvents({ id, status, error, stopReason }: AgentJobRow, at: Date, count: number) {
  const outcome = status === 'completed' ? 'succeeded' : (stopReason ?? status)
  const code = stopReason ?? 'internal'
  const failure =
    error === undefined
      ? null
      : { code, source: stopReason === undefined ? 'agent' : 'billing', retryable: false, message: error }
  const events = [
    ...(stopReason === 'cancelled' ? [{ type: 'run.cancel_requested', reason: 'user' }] : []),
    { type: 'run.finished', outcome, error: failure },
  ]
  const occurredAt = at.toISOString()
  return events.map((fields, index) =>
    createEvent(id, count + index + 1, { ...fields, eventId: `${id}-${fields.type}`, occurredAt }),
  )
}
