import { sql, type Kysely, type Selectable } from 'kysely'
import { z } from 'zod'
import { agentEvent, agentRequest, type AgentEvent, type AgentRequest } from 'bowline/contract/agent'
import type { Database } from '../store/schema.ts'
import type { AgentJobTable, AgentStopReason, AgentStepTable } from '../store/tables/agents.ts'
import { json, JsonTable, queriedJson, type JsonRow } from '../store/tables/json-table.ts'
import { storedWebhook } from '../webhooks/stored-webhook.ts'
import { chatMessage, type ChatMessage } from './chat.ts'

/** A stored agent. */
export interface AgentPlan extends Omit<AgentRequest, 'threadId'> {
  /** URL under which the client reached this server, without trailing slash. */
  readonly baseUrl: string
}

const { webhook: _webhook, threadId: _threadId, ...fields } = agentRequest.shape

const storedPlan: z.ZodType<AgentPlan> = z.object({
  ...fields,
  webhook: storedWebhook.optional(),
  baseUrl: z.string(),
})

const columns = { request: queriedJson(storedPlan), answer: json(z.object({ data: z.unknown() })) }
const agentJobs = new JsonTable('agent_job', columns)

const stepColumns = { messages: json(z.array(chatMessage)), events: json(z.array(agentEvent)) }
const agentSteps = new JsonTable('agent_step', stepColumns, ['jobId', 'sequence'])

/** An agent. */
export type AgentJobRow = JsonRow<Selectable<AgentJobTable>, typeof columns>

/** A step of an agent. */
export type AgentStepRow = JsonRow<Selectable<AgentStepTable>, typeof stepColumns>

/** Inserts an agent. */
export async function insertAgent(
  db: Kysely<Database>,
  job: Pick<AgentJobRow, 'id' | 'teamId' | 'apiKeyId' | 'request'>,
): Promise<void> {
  await db.insertInto('agentJob').values(agentJobs.write(job)).execute()
}

/** Returns the agent with this id, or `undefined`. */
export async function findAgent(db: Kysely<Database>, id: string): Promise<AgentJobRow | undefined> {
  const row = await db.selectFrom('agentJob').selectAll().where('id', '=', id).executeTakeFirst()
  return row && agentJobs.read(row)
}

/** Returns the ids of the running agents that an API key started. */
export async function listAgentsOfKey(db: Kysely<Database>, apiKeyId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agentJob')
    .select('id')
    .where('apiKeyId', '=', apiKeyId)
    .where('status', '=', 'processing')
    .execute()
  return rows.map(({ id }) => id)
}

/** A step to add. */
export interface NewStep {
  readonly jobId: string
  readonly sequence: number
  readonly credits: number
  readonly messages: readonly ChatMessage[]
  readonly events: readonly AgentEvent[]
}

/**
 * Adds a step and its cost in the transaction `db`. Returns `false` if the agent is no longer
 * running, or another server has added the step. The caller must then roll the transaction back.
 */
export async function insertStep(db: Kysely<Database>, step: NewStep): Promise<boolean> {
  const job = await db
    .updateTable('agentJob')
    .set({ credits: sql<number>`credits + ${step.credits}::integer` })
    .where('id', '=', step.jobId)
    .where('status', '=', 'processing')
    .returning('id')
    .executeTakeFirst()
  if (job === undefined) return false
  const row = { ...step, messages: [...step.messages], events: [...step.events] }
  const inserted = await db
    .insertInto('agentStep')
    .values(agentSteps.write(row))
    .onConflict((conflict) => conflict.doNothing())
    .returning('sequence')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Lists the steps of an agent in their order. */
export async function listSteps(db: Kysely<Database>, jobId: string): Promise<readonly AgentStepRow[]> {
  const rows = await db.selectFrom('agentStep').selectAll().where('jobId', '=', jobId).orderBy('sequence').execute()
  return rows.map((row) => agentSteps.read(row))
}

/** Lists the events of an agent in their order. */
export async function listEvents(db: Kysely<Database>, jobId: string): Promise<readonly AgentEvent[]> {
  const rows = await db
    .selectFrom('agentStep')
    .select(['jobId', 'sequence', 'events'])
    .where('jobId', '=', jobId)
    .orderBy('sequence')
    .execute()
  return rows.flatMap((row) => agentSteps.parse('events', row.events, row))
}

/** How an agent ends. */
export type AgentEnd =
  | { readonly status: 'completed'; readonly data: unknown }
  | { readonly status: 'failed'; readonly error: string; readonly stopReason?: AgentStopReason | undefined }
  /** Default of `error`: a client cancelled it. */
  | { readonly status: 'cancelled'; readonly error?: string | undefined }

/** Who pays for an agent, and the cost of its steps. */
export type EndedAgent = Pick<AgentJobRow, 'teamId' | 'apiKeyId' | 'credits'>

/** Ends an agent. A failed one costs nothing. Returns `undefined` if it has already ended. */
export async function markAgentEnded(db: Kysely<Database>, id: string, end: AgentEnd): Promise<EndedAgent | undefined> {
  const row = await db
    .updateTable('agentJob')
    .set({
      status: end.status,
      finishedAt: sql<Date>`now()`,
      ...(end.status === 'completed' ? agentJobs.write({ answer: { data: end.data } }) : {}),
      ...(end.status === 'failed' ? { error: end.error, stopReason: end.stopReason ?? null, credits: 0 } : {}),
      ...(end.status === 'cancelled' ? { error: end.error ?? 'The agent was cancelled', stopReason: 'cancelled' } : {}),
    })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returning(['teamId', 'apiKeyId', 'credits'])
    .executeTakeFirst()
  return row
}

/** Deletes agents that ended before a time, with their steps. */
export async function deleteOldAgents(db: Kysely<Database>, before: Date): Promise<void> {
  await db
    .deleteFrom('agentJob')
    .where('createdAt', '<', before)
    .where('status', '<>', 'processing')
    .where((eb) => eb(eb.fn.coalesce('finishedAt', 'createdAt'), '<', before))
    .execute()
}
