/** Work of one kind. Defined once, beside the code that does the work. */
export interface Queue<Data extends object> {
  /** Unique among the queues of the server: letters, digits, `-` and `_`. */
  readonly name: string
  /** Seconds to wait before each further try of work that failed; as many tries as there are delays. Default: none. */
  readonly retryDelaysSeconds?: readonly number[]
  /** Seconds after which the signal of an attempt is aborted. */
  readonly expireSeconds: number
  /**
   * Attempts that may die with their server before the job is given up. A server that stops in order gives its jobs
   * back, and they do not count. Default 10; Infinity: the job is never given up for that.
   */
  readonly maxCrashes?: number
  /**
   * Whether idle servers go first: a server takes one job at a time, and waits before the next, the longer the more it
   * has. Default false: it takes as many as it may do at once.
   */
  readonly prefersIdleServers?: boolean
  /** Never set: it tells the compiler what the jobs of the queue hold. */
  readonly dataType?: Data
}
