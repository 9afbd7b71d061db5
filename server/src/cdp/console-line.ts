/** An entry of `console.jsonl`: a console call, an uncaught exception or a browser message. */
export interface ConsoleLine {
  /** ISO 8601. */
  readonly time: string
  /** `console`, `exception`, or the source of a browser message such as `network`. */
  readonly source: string
  /** Such as `log`, `warning` or `error`. */
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly line?: number
  readonly column?: number
}
