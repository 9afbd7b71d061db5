import { recordOptions, recordRequest, type RecordRequest } from 'bowline/contract/recordings'
import type { JsonText } from '../store/tables/columns.ts'
import { jsonb, JsonTable } from '../store/tables/json-table.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

const sessions = new JsonTable('session', { record: jsonb(recordRequest) })

/** Recording options of a session with all defaults applied. */
export interface RecordPlan {
  readonly har: { readonly bodies: boolean; readonly secrets: boolean } | undefined
  readonly console: boolean
  readonly video: { readonly maxFps: number } | undefined
  readonly keep: 'always' | 'on-failure'
}

/** Serializes the `record` option of a session for its row. `undefined` if nothing is recorded. */
export function recordColumn(request: RecordRequest | undefined): JsonText | undefined {
  return request === undefined || request === false ? undefined : sessions.serialize('record', request)
}

/**
 * Reads the recording options of a session. `undefined` if nothing is recorded. Throws
 * STORED_VALUE_INVALID.
 */
export function recordPlanOf(row: Pick<SessionRow, 'id' | 'record'>): RecordPlan | undefined {
  const requested = row.record === undefined ? false : sessions.parse('record', row.record, row)
  if (requested === false) return undefined
  const options = recordOptions.parse(requested === true ? { har: true, console: true, video: true } : requested)
  const plan: RecordPlan = {
    har: options.har === true ? { bodies: true, secrets: false } : options.har || undefined,
    console: options.console,
    video: options.video === true ? { maxFps: defaultFps } : options.video || undefined,
    keep: options.keep,
  }
  return plan.har === undefined && !plan.console && plan.video === undefined ? undefined : plan
}

const defaultFps = 8
