/** One thing that a page said, or that was said of it. */
export interface ConsoleLine {
  /** ISO 8601. */
  readonly time: string
  /** `console`, `exception`, or what in the browser has said it, such as `network`. */
  readonly source: string
  /** Such as `log`, `warning` or `error`. */
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly line?: number
  readonly column?: number
}
