/** Work of one kind. Defined once, beside the code that does the work. */
export interface Queue<Data extends object> {
  /** Unique among the queues of the server: letters, digits, `-` and `_`. */
  readonly name: string
  /** Seconds to wait before each further try of work that failed; as many tries as there are delays. Default: none. */
  readonly retryDelaysSeconds?: readonly number[]
  /** Seconds after which the signal of an attempt is aborted. An attempt that dies with its server counts as made. */
  readonly expireSeconds: number
  /** Never set: it tells the compiler what the jobs of the queue hold. */
  readonly holds?: Data
}
