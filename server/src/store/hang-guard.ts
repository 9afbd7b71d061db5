import { Client, DatabaseError } from 'pg'

/** What a guard finds out with, and when. */
export interface HangGuardOptions {
  readonly databaseUrl: string
  /** Milliseconds without an answer after which PostgreSQL is asked whether it is alive. Default 6000. */
  readonly probeAfterMs?: number | undefined
  /** Milliseconds it has to answer that. Default 4000. */
  readonly probeTimeoutMs?: number | undefined
  /**
   * Milliseconds that a statement may take while PostgreSQL is alive: its own connection or backend may be what hangs.
   * Default 120,000.
   */
  readonly maxStatementMs?: number | undefined
}

/**
 * Fails statements that PostgreSQL accepts and never answers, as when it is paused or cut off without a word. A statement
 * that is only slow goes on: it is the database that is asked for a sign of life, on a connection of its own.
 */
export class HangGuard {
  readonly #databaseUrl: string
  readonly #probeAfterMs: number
  readonly #probeTimeoutMs: number
  readonly #maxStatementMs: number
  #probe: Promise<boolean> | undefined

  constructor({ databaseUrl, probeAfterMs = 6000, probeTimeoutMs = 4000, maxStatementMs = 120_000 }: HangGuardOptions) {
    this.#databaseUrl = databaseUrl
    this.#probeAfterMs = probeAfterMs
    this.#probeTimeoutMs = probeTimeoutMs
    this.#maxStatementMs = maxStatementMs
  }

  /** Waits for the answer to a statement. Throws ETIMEDOUT when PostgreSQL hangs; one that `isLong` may take any time. */
  async wait<Answer>(answer: Promise<Answer>, { isLong = false }: { readonly isLong?: boolean } = {}): Promise<Answer> {
    const hung = Promise.withResolvers<never>()
    const startMs = performance.now()
    let isOver = false
    const look = async (): Promise<void> => {
      const isTooLong = !isLong && performance.now() - startMs > this.#maxStatementMs
      if (isTooLong || !(await this.#isAlive())) hung.reject(timedOut(performance.now() - startMs))
      else if (!isOver) timer = setTimeout(() => void look(), this.#probeAfterMs)
    }
    let timer = setTimeout(() => void look(), this.#probeAfterMs)
    try {
      return await Promise.race([answer, hung.promise])
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Statements that wait at the same time share the look. Never rejects. */
  async #isAlive(): Promise<boolean> {
    this.#probe ??= this.#ask().finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  async #ask(): Promise<boolean> {
    const client = new Client({
      connectionString: this.#databaseUrl,
      connectionTimeoutMillis: this.#probeTimeoutMs,
      query_timeout: this.#probeTimeoutMs,
      application_name: 'bowline',
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      // Behind a pooler, only a statement reaches the database.
      await client.query('select 1')
      return true
    } catch (error) {
      // A refusal, such as for want of connections, is a sign of life.
      return error instanceof DatabaseError
    } finally {
      client.end().catch(() => undefined)
    }
  }
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`PostgreSQL has not answered for ${Math.round(ms / 1000)} s`), { code: 'ETIMEDOUT' })
}
