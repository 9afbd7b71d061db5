/** Possible values of a label: the full list, or a phrase that describes them. */
export type LabelValues = readonly string[] | string

/** A metric: how it is registered and documented. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Unit of its values. Default: a number of things. */
  readonly unit?: 'seconds' | 'bytes' | 'credits' | undefined
  /** Labels and their values. Each label has a limited number of values. */
  readonly labels?: Readonly<Record<string, LabelValues>> | undefined
  /**
   * Values of the only label whose series exist from the start. Default: all, if they are listed.
   */
  readonly initial?: readonly string[] | undefined
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[] | undefined
  /** Whether it is read from the database, so that all servers report the same value. */
  readonly isShared?: boolean | undefined
}

/** Outcomes of a step that a caller may cancel. */
export const outcomes = ['success', 'error', 'cancelled'] as const

/** Buckets of short steps: 5 ms to 10 s. */
export const shortSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Buckets of steps that wait for a site or for a browser: 50 ms to 2 minutes. */
export const longSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const

/** Buckets of waits in a queue: 100 ms to 5 minutes. */
export const waitSeconds = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180, 300] as const
