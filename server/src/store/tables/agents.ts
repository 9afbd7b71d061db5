import type { ColumnType, Generated } from 'kysely'
import type { JsonText, Nullable, Timestamp } from './columns.ts'

/** Status of an agent. */
export type AgentStatus = 'processing' | 'completed' | 'failed' | 'cancelled'

/** Why an agent stopped without a result. */
export type AgentStopReason = 'cancelled' | 'credit_limit_reached'

/** An agent. */
export interface AgentJobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: JsonText
  readonly status: ColumnType<AgentStatus, AgentStatus | undefined, AgentStatus>
  /** Its result. `json`, because its keys are in the order of the schema. */
  readonly answer: Nullable<JsonText>
  /** Why it failed. */
  readonly error: Nullable<string>
  readonly stopReason: Nullable<AgentStopReason>
  /** Cost of its steps, without its sessions. */
  readonly credits: Generated<number>
  readonly createdAt: Timestamp
  /** Null: still running. */
  readonly finishedAt: Nullable<Date>
}

/** A step of an agent. */
export interface AgentStepTable {
  readonly jobId: string
  /** Position, from 1. */
  readonly sequence: number
  readonly credits: number
  /** Messages that the step has added to the conversation. */
  readonly messages: JsonText
  /** Events of the trace. */
  readonly events: JsonText
}
