import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import { storeHealthSample, type HealthReading } from './health-samples.ts'
import { measureMachine } from './machine-use.ts'

/** Counts of a server. Numbers of responses and waits are totals since its start. */
export interface HealthCounts {
  readonly sessions: number
  readonly maxSessions: number
  readonly waiting: number
  readonly requests: number
  readonly errors: number
  /** Requests that have left the queue of sessions. */
  readonly waits: number
  readonly waitedSeconds: number
}

/** Dependencies of the health recorder. */
export interface HealthRecorderDeps {
  readonly db: Kysely<Database>
  readonly nodeId: string
  readonly readCounts: () => Promise<HealthCounts>
  readonly onError: (error: unknown, action: string) => void
}

const intervalMs = 60_000

/** Stores a sample of the health of this server every minute. */
export class HealthRecorder implements Disposable {
  readonly #deps: HealthRecorderDeps
  readonly #timer: NodeJS.Timeout
  #last: HealthCounts | undefined

  constructor(deps: HealthRecorderDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.record(), intervalMs).unref()
  }

  /** Stores a sample now. Never rejects: without a database, the sample is lost. */
  async record(): Promise<void> {
    const { db, nodeId, readCounts, onError } = this.#deps
    try {
      const counts = await readCounts()
      const reading = toReading(counts, this.#last)
      this.#last = counts
      await storeHealthSample(db, nodeId, reading)
    } catch (error) {
      onError(error, 'storing a sample of the health of this server')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

function toReading(counts: HealthCounts, last: HealthCounts | undefined): HealthReading {
  const { sessions, maxSessions, waiting } = counts
  const waits = counts.waits - (last?.waits ?? 0)
  return {
    sessions,
    maxSessions,
    waiting,
    ...measureMachine(),
    queueWaitSeconds: waits === 0 ? 0 : (counts.waitedSeconds - (last?.waitedSeconds ?? 0)) / waits,
    requests: counts.requests - (last?.requests ?? 0),
    errors: counts.errors - (last?.errors ?? 0),
  }
}
