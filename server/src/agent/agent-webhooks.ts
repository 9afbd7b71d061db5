import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { AgentEnd, AgentJobRow } from './agent-queries.ts'
import type { AgentAction } from './agent-run.ts'
import { sumSessionCredits } from './agent-sessions.ts'

type Sender = Pick<Webhooks, 'send'>

/** Sends `agent.started`. */
export async function notifyStart(webhooks: Sender, job: AgentJobRow, db: Kysely<Database>): Promise<void> {
  await send(webhooks, job, { event: 'started', key: 'started', success: true, data: [] }, db)
}

/** Sends `agent.action` for each call of a tool. */
export async function notifyActions(
  webhooks: Sender,
  job: AgentJobRow,
  actions: readonly AgentAction[],
  db: Kysely<Database>,
): Promise<void> {
  for (const action of actions) await send(webhooks, job, { event: 'action', success: true, data: [action] }, db)
}

/** Sends `agent.completed`, `agent.failed` or `agent.cancelled`. */
export async function notifyEnd(
  webhooks: Sender,
  job: AgentJobRow,
  end: AgentEnd,
  db: Kysely<Database>,
): Promise<void> {
  if (job.request.webhook === undefined) return
  const creditsUsed = job.credits + (await sumSessionCredits(db, job))
  const content =
    end.status === 'completed'
      ? { success: true, data: [{ creditsUsed, data: end.data }] }
      : { success: false, data: [{ creditsUsed }], ...(end.error === undefined ? {} : { error: end.error }) }
  await send(webhooks, job, { event: end.status, key: end.status, ...content }, db)
}

interface Message {
  readonly event: string
  /** Default: the event is not deduplicated. */
  readonly key?: string
  readonly success: boolean
  readonly data: readonly unknown[]
  readonly error?: string | undefined
}

async function send(
  webhooks: Sender,
  { id, teamId, request: { webhook } }: AgentJobRow,
  { event, key, ...content }: Message,
  db: Kysely<Database>,
): Promise<void> {
  if (webhook === undefined) return
  const uniqueKey = key === undefined ? undefined : `${id}.${key}`
  await webhooks.send({ teamId, webhook, event: `agent.${event}`, jobId: id, content, uniqueKey }, { db })
}
