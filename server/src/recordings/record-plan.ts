import { recordOptions, type RecordRequest } from 'bowline/contract/recordings'

/** What is recorded of a session, with every default filled in. */
export interface RecordPlan {
  readonly har: { readonly bodies: boolean; readonly secrets: boolean } | undefined
  readonly console: boolean
  readonly video: { readonly maxFps: number } | undefined
  readonly keep: 'always' | 'on-failure'
}

/** What a session's `record` asks for; undefined: nothing. */
export function recordPlan(text: string | undefined): RecordPlan | undefined {
  const asked = text === undefined ? false : (JSON.parse(text) as RecordRequest)
  if (asked === false) return undefined
  const options = recordOptions.parse(asked === true ? { har: true, console: true, video: true } : asked)
  const plan: RecordPlan = {
    har: options.har === true ? { bodies: true, secrets: false } : options.har || undefined,
    console: options.console,
    video: options.video === true ? { maxFps: defaultFps } : options.video || undefined,
    keep: options.keep,
  }
  return plan.har === undefined && !plan.console && plan.video === undefined ? undefined : plan
}

const defaultFps = 8
