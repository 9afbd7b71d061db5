/** State of a server in a minute. */
export interface HealthSampleTable {
  /** Start of the minute. */
  readonly at: Date
  readonly nodeId: string
  /** Sessions alive or starting. */
  readonly sessions: number
  readonly maxSessions: number
  /** Requests that wait for a session. */
  readonly waiting: number
  /** Share of the memory of the machine, 0 to 1. */
  readonly memoryUsed: number
  /** Share of the processors, 0 to 1. */
  readonly cpuUsed: number
  /** Mean of the requests that left the queue of sessions since the previous sample. */
  readonly queueWaitSeconds: number
  /** Responses since the previous sample. */
  readonly requests: number
  /** Those of them with a status of 500 or higher. */
  readonly errors: number
}
