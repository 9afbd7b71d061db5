import { uuidV7 } from 'bowline/kit/ids'
import type { AgentEvent } from 'bowline/contract/agent'
import type { Store } from '../store/store.ts'
import { insertStep } from './agent-queries.ts'
import type { ChatMessage } from './chat.ts'

/** Fields of an event that depend on its type. */
export type EventFields = { readonly type: string; readonly creditsUsed?: number } & Readonly<Record<string, unknown>>

/** A step to record. */
export interface RecordedStep {
  readonly events: readonly EventFields[]
  readonly messages?: readonly ChatMessage[] | undefined
  /** Cost of the step. Default: 0. */
  readonly credits?: number | undefined
}

/** Thrown by `Trace.record` if the agent was cancelled, or continues on another server. */
export class AgentStopped extends Error {}

/** Creates an event of a run. */
export function createEvent(runId: string, producerSequence: number, fields: EventFields): AgentEvent {
  return {
    schemaVersion: 1,
    eventId: uuidV7(),
    runId,
    occurredAt: new Date().toISOString(),
    producerSequence,
    agent: { id: runId, role: 'orchestrator', name: 'agent' },
    ...fields,
  }
}

/** Records the steps of an agent with their costs, one after another. */
export class Trace {
  readonly #store: Store
  readonly #jobId: string
  #sequence: number
  #eventSequence: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: Store, jobId: string, recorded: { readonly sequence: number; readonly eventSequence: number }) {
    this.#store = store
    this.#jobId = jobId
    this.#sequence = recorded.sequence
    this.#eventSequence = recorded.eventSequence
  }

  /** Records a step, and calls `also` in its transaction. Throws AgentStopped. */
  async record(
    { events, messages = [], credits = 0 }: RecordedStep,
    also?: (db: Store['db'], events: readonly AgentEvent[]) => Promise<void>,
  ): Promise<void> {
    const recording = this.#last.then(async () => {
      const created = events.map((fields, index) => createEvent(this.#jobId, this.#eventSequence + index + 1, fields))
      const step = { jobId: this.#jobId, sequence: this.#sequence + 1, credits, messages, events: created }
      await this.#store.db.transaction().execute(async (db) => {
        if (!(await insertStep(db, step))) throw new AgentStopped('The agent has ended')
        await also?.(db, created)
      })
      this.#sequence += 1
      this.#eventSequence += created.length
    })
    this.#last = recording.catch(() => undefined)
    return recording
  }
}
