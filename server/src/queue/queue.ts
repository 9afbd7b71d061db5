/** Definition of a task queue. Declared once, next to its handler. */
export interface Queue<Data extends object> {
  /** Unique name: letters, digits, `-` and `_`. */
  readonly name: string
  /**
   * Seconds before each retry of a failed task. Its length is the number of retries. Default: none.
   */
  readonly retryDelaysSeconds?: readonly number[]
  /** Time limit of an attempt in seconds, after which its signal is aborted. */
  readonly expireSeconds: number
  /**
   * Server crashes during a task before it fails as exhausted. A graceful shutdown requeues its
   * tasks and does not count. Default: 10. `Infinity`: no limit.
   */
  readonly maxCrashes?: number
  /**
   * Whether tasks are spread over servers: a server fetches one task at a time and waits before the
   * next, longer the more it is running. Default: false, which fetches as many as `concurrency`
   * allows.
   */
  readonly prefersIdleServers?: boolean
  /**
   * Whether teams share the slots of each server: a free slot goes to the team that holds the
   * fewest, and a team holds at most half of the slots. Each task then needs a `teamId`, and
   * `prefersIdleServers` has no effect. Default: false, tasks start by priority and age.
   */
  readonly isSharedByTeams?: boolean
  /** Never set. Binds the type of the task data to the queue. */
  readonly dataType?: Data
}
