import { Client, DatabaseError } from 'pg'

/** Options of `HangGuard`. */
export interface HangGuardOptions {
  readonly databaseUrl: string
  /** Returns the URL to probe. Default: `databaseUrl`. */
  readonly currentUrl?: (() => string) | undefined
  /** Milliseconds without a response after which PostgreSQL is probed. Default: 6000. */
  readonly probeAfterMs?: number | undefined
  /** Timeout of a probe in milliseconds. Default: 4000. */
  readonly probeTimeoutMs?: number | undefined
  /**
   * Maximum duration of a statement in milliseconds even if probes succeed: its own connection or
   * backend may hang. Default: 120000.
   */
  readonly maxStatementMs?: number | undefined
}

/**
 * Fails statements that PostgreSQL accepts but never responds to, for example because it is paused
 * or behind a dead link. Slow statements continue: a probe on a separate connection checks whether
 * the database is alive.
 */
export class HangGuard {
  readonly #currentUrl: () => string
  readonly #probeAfterMs: number
  readonly #probeTimeoutMs: number
  readonly #maxStatementMs: number
  #probe: Promise<boolean> | undefined

  constructor({
    databaseUrl,
    currentUrl = () => databaseUrl,
    probeAfterMs = 6000,
    probeTimeoutMs = 4000,
    maxStatementMs = 120_000,
  }: HangGuardOptions) {
    this.#currentUrl = currentUrl
    this.#probeAfterMs = probeAfterMs
    this.#probeTimeoutMs = probeTimeoutMs
    this.#maxStatementMs = maxStatementMs
  }

  /**
   * Awaits the result of a statement. Throws ETIMEDOUT if PostgreSQL hangs. `isLong` lifts the
   * maximum duration.
   */
  async wait<Result>(result: Promise<Result>, { isLong = false }: { readonly isLong?: boolean } = {}): Promise<Result> {
    const hung = Promise.withResolvers<never>()
    const startMs = performance.now()
    let isOver = false
    const check = async (): Promise<void> => {
      const isTooLong = !isLong && performance.now() - startMs > this.#maxStatementMs
      if (isTooLong || !(await this.#isAlive())) hung.reject(timedOut(performance.now() - startMs))
      else if (!isOver) timer = setTimeout(() => void check(), this.#probeAfterMs)
    }
    let timer = setTimeout(() => void check(), this.#probeAfterMs)
    try {
      return await Promise.race([result, hung.promise])
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  /** Probes PostgreSQL. Concurrent callers share a probe. Never rejects. */
  async #isAlive(): Promise<boolean> {
    this.#probe ??= this.#sendProbe().finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  async #sendProbe(): Promise<boolean> {
    const client = new Client({
      connectionString: this.#currentUrl(),
      connectionTimeoutMillis: this.#probeTimeoutMs,
      query_timeout: this.#probeTimeoutMs,
      application_name: 'bowline',
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      // Connecting is not enough: a connection pooler accepts connections without the database.
      await client.query('select 1')
      return true
    } catch (error) {
      // An error from PostgreSQL, such as too many connections, proves that it is alive.
      return error instanceof DatabaseError
    } finally {
      // The connection may be broken already.
      client.end().catch(() => undefined)
    }
  }
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`PostgreSQL did not respond within ${Math.round(ms / 1000)} s`), { code: 'ETIMEDOUT' })
}
