import { once } from 'node:events'
import { mergeSignals } from 'bowline/kit/abort'
import { agentLimits, type AgentRequest } from 'bowline/contract/agent'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { Billing } from '../billing/billing.ts'
import { heldCredits, raise } from '../billing/account.ts'
import { insufficientCredits } from '../billing/insufficient-credits.ts'
import type { Queue } from '../queue/queue.ts'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Attempt } from '../queue/worker.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { isUnreadable, orUndefined } from '../store/tables/json-table.ts'
import { isKeyRevoked } from '../teams/key-queries.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { admitAgent, endAgent } from './agent-account.ts'
import { restoreConversation, startConversation } from './agent-conversation.ts'
import { findAgent, listAgentsOfKey, listSteps, type AgentEnd, type AgentJobRow } from './agent-queries.ts'
import { AgentRun, type AgentRunDeps } from './agent-run.ts'
import { listAgentSessions } from './agent-sessions.ts'
import { notifyActions, notifyEnd, notifyStart } from './agent-webhooks.ts'
import { Budget, BudgetExceeded } from './budget.ts'
import { AgentFailure } from './finish-tool.ts'
import { createPageScope } from './page-scope.ts'
import { noLanguageModel } from './session-prompts.ts'
import { AgentStopped, Trace } from './trace.ts'

/** Dependencies of `Agents`. */
export interface AgentsDeps extends Omit<AgentRunDeps, 'languageModel' | 'sessions'> {
  readonly store: Store
  readonly billing: Pick<Billing, 'reserve' | 'noteCharge'>
  readonly queues: TaskQueues
  readonly webhooks: Pick<Webhooks, 'send' | 'assertPermitted'>
  readonly sessions: Pick<Sessions, 'create' | 'end' | 'find' | 'draining'>
  /** `undefined` if agents are unavailable. */
  readonly languageModel: LanguageModel | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** An agent to start. */
export interface NewAgent {
  readonly teamId: string
  readonly apiKeyId: string
  readonly baseUrl: string
  readonly request: AgentRequest
}

/** Agents of this server at a time. Those of one team take at most half. */
const concurrency = 8

const queue: Queue<{ readonly id: string }> = { name: 'agent', expireSeconds: 3600, isSharedByTeams: true }

/**
 * Runs agents from a queue. Every step and its cost are stored, so that an agent continues after a
 * restart of its server, and its credits are reserved before each step.
 */
export class Agents {
  readonly #deps: AgentsDeps
  readonly #running = new Map<string, AbortController>()

  private constructor(deps: AgentsDeps) {
    this.#deps = deps
  }

  /** Starts processing queued agents. */
  static async open(deps: AgentsDeps): Promise<Agents> {
    const agents = new Agents(deps)
    await deps.queues.work(
      queue,
      { concurrency, onExhausted: async ({ id }, error) => void (await agents.#end(id, failureOf(error))) },
      async ({ id }, attempt) => agents.#process(id, attempt),
    )
    return agents
  }

  /**
   * Queues an agent and reserves the credits of its first steps. Throws NOT_IMPLEMENTED without a
   * language model, BAD_REQUEST or INSUFFICIENT_CREDITS.
   */
  async start({ request, baseUrl, ...owner }: NewAgent): Promise<{ readonly id: string }> {
    const { store, queues, schemas, languageModel, webhooks } = this.#deps
    if (languageModel === undefined) throw noLanguageModel('Agents')
    await schemas.assertValid(owner.teamId, request.schema)
    await webhooks.assertPermitted(request.webhook)
    createPageScope(request.urls, request.strictConstrainToURLs)
    const { threadId: _threadId, ...fields } = request
    const id = uuidV7()
    await store.db.transaction().execute(async (db) => {
      await queues.send(queue, { id }, { db, teamId: owner.teamId })
      const admission = await admitAgent(db, { ...owner, id, request: { ...fields, baseUrl } })
      if (admission.outcome === 'insufficient-credits')
        throw insufficientCredits(agentLimits.needed, admission.available)
    })
    return { id }
  }

  /**
   * Cancels an agent of a team, and bills its steps so far. A run on this server stops at once, one
   * on another server at its next step. Throws CONFLICT if it has ended.
   */
  async cancel(job: AgentJobRow): Promise<void> {
    if (!(await this.#end(job.id, { status: 'cancelled' }))) {
      const { status } = (await findAgent(this.#deps.store.db, job.id)) ?? job
      throw new BowlineError(
        'CONFLICT',
        status === 'cancelled' ? 'Agent is already cancelled' : 'Agent already finished',
      )
    }
    this.#running.get(job.id)?.abort(new AgentStopped('The agent was cancelled'))
  }

  /**
   * Cancels the agents that a revoked API key started, and bills their steps so far. Runs on other
   * servers stop at their next step.
   */
  async cancelAgentsOfKey(apiKeyId: string): Promise<void> {
    for (const id of await listAgentsOfKey(this.#deps.store.db, apiKeyId)) {
      await this.#end(id, keyRevoked)
      this.#running.get(id)?.abort(new AgentStopped('The API key was revoked'))
    }
  }

  async #process(id: string, { signal }: Attempt): Promise<void> {
    const { store, sessions } = this.#deps
    const cancelled = new AbortController()
    this.#running.set(id, cancelled)
    try {
      const job = await findAgent(store.db, id)
      if (job?.status !== 'processing') return
      // A request that was accepted just before can store its agent after those of the key ended.
      if (await isKeyRevoked(store.db, job.apiKeyId)) return void (await this.#end(id, keyRevoked))
      await this.#run(job, mergeSignals(signal, sessions.draining, cancelled.signal))
    } catch (error) {
      if (error instanceof AgentStopped || cancelled.signal.aborted) return
      // Sessions end before the queues stop. The task is requeued once this queue stops.
      if (sessions.draining.aborted && !signal.aborted) await once(signal, 'abort')
      // Another server, or this one after a restart, continues.
      if (signal.aborted) throw error
      if (isStoreUnavailable(error)) throw error
      if (!isUnreadable(error)) this.#deps.onError(error, `running agent ${id}`)
      await this.#end(id, failureOf(error))
    } finally {
      this.#running.delete(id)
    }
  }

  async #run(job: AgentJobRow, signal: AbortSignal): Promise<void> {
    const { languageModel } = this.#deps
    if (languageModel === undefined) return void (await this.#end(job.id, failed('No language model is configured')))
    const run = new AgentRun({ ...this.#deps, languageModel }, await this.#restore(job))
    let end: AgentEnd
    try {
      end = { status: 'completed', data: await run.run(signal) }
    } catch (error) {
      const known = signal.aborted ? undefined : knownFailureOf(error)
      // A session that cannot be ended here ends when it is idle.
      await run
        .close({ isFree: known !== undefined })
        .catch((failure: unknown) => failure instanceof AgentStopped || this.#deps.onError(failure, 'ending a session'))
      if (known === undefined) throw error
      end = known
    }
    if (end.status === 'completed') await run.close({ isFree: false })
    await this.#end(job.id, end)
  }

  async #restore(job: AgentJobRow) {
    const { store, prices, webhooks } = this.#deps
    const { urls, strictConstrainToURLs, maxCredits } = job.request
    const pages = createPageScope(urls, strictConstrainToURLs)
    const steps = await listSteps(store.db, job.id)
    const sessions = await listAgentSessions(store.db, job)
    const trace = new Trace(store, job.id, {
      sequence: steps.at(-1)?.sequence ?? 0,
      eventSequence: steps.reduce((count, { events }) => count + events.length, 0),
    })
    const messages = steps.length > 0 ? restoreConversation(steps) : [...startConversation(job.request, pages, prices)]
    if (steps.length > 0) {
      const message = 'Continues after a restart of the server'
      await trace.record({ events: [{ type: 'progress.reported', phase: 'working', message }] })
    } else {
      const events = [{ type: 'run.started' }, { type: 'agent.started' }]
      await trace.record({ events, messages }, async (db) => notifyStart(webhooks, job, db))
    }
    const budget = new Budget({
      maxCredits,
      held: await heldCredits(store.db, job.id),
      spent: job.credits,
      spentInSessions: sessions.reduce((sum, { creditsBilled = 0 }) => sum + creditsBilled, 0),
      raise: async (credits) => raise(store.db, { holdId: job.id, credits }),
    })
    const onActions = async (db: Store['db'], actions: Parameters<typeof notifyActions>[2]): Promise<void> =>
      notifyActions(webhooks, job, actions, db)
    return { job, pages, budget, trace, messages, sessionCount: sessions.length, onActions }
  }

  /** Commits the end of an agent, its charge and its webhook event, unless it has already ended. */
  async #end(id: string, end: AgentEnd): Promise<boolean> {
    const { store, billing, webhooks, onError } = this.#deps
    const credits = await store.db.transaction().execute(async (db) => {
      const charged = await endAgent(db, id, end)
      if (charged === undefined) return undefined
      // An agent that cannot be read ends all the same, but its webhook is unknown.
      const job = await orUndefined(findAgent(db, id), (error) => onError(error, `ending agent ${id}`))
      if (job !== undefined) await notifyEnd(webhooks, job, end, db)
      return charged
    })
    if (credits !== undefined) billing.noteCharge({ kind: 'agent', credits })
    return credits !== undefined
  }
}

const keyRevoked: AgentEnd = { status: 'cancelled', error: 'The API key that started the agent was revoked' }

function failed(error: string): AgentEnd {
  return { status: 'failed', error }
}

/** Returns the end for an error that the owner of the agent should read. */
function knownFailureOf(error: unknown): AgentEnd | undefined {
  if (error instanceof AgentFailure) return failed(error.message)
  if (error instanceof BudgetExceeded) {
    const reason =
      error.limit === 'team'
        ? 'The team has too few credits to go on'
        : 'The agent could not finish within `maxCredits`'
    return { status: 'failed', error: reason, stopReason: 'credit_limit_reached' }
  }
  if (!isBowlineError(error) || error.code === 'STORED_VALUE_INVALID' || isStoreUnavailable(error)) return undefined
  return failed(error.message)
}

function failureOf(error: unknown): AgentEnd {
  return isBowlineError(error) ? failed(error.message) : failed('The agent failed because of an internal server error')
}
