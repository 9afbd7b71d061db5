import { recordOptions, type RecordRequest } from 'bowline/contract/recordings'

/** Recording options of a session with all defaults applied. */
export interface RecordPlan {
  readonly har: { readonly bodies: boolean; readonly secrets: boolean } | undefined
  readonly console: boolean
  readonly video: { readonly maxFps: number } | undefined
  readonly keep: 'always' | 'on-failure'
}

/** Parses the `record` option of a session. `undefined` if nothing is recorded. */
export function parseRecordPlan(text: string | undefined): RecordPlan | undefined {
  const requested = text === undefined ? false : (JSON.parse(text) as RecordRequest)
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
