import { catalogue, type CatalogueEntry, type ErrorCode } from './catalogue.ts'
import { isError } from './is-error.ts'

/** Optional fields of a BowlineError. */
export interface ErrorFacts {
  /** How to fix the error. Default: the hint of the catalogue. */
  readonly hint?: string | undefined
  /** Machine-readable details, such as validation issues. */
  readonly details?: unknown
  /** Additional top-level fields of the response body, which public clients expect. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Id of the failed request, as in the server log. */
  readonly requestId?: string | undefined
  /** HTTP status. Default: that of the catalogue. */
  readonly status?: number | undefined
  /** Seconds after which to retry, sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/**
 * Error of the Bowline client, server and CLI. `code` is one of the catalogue, or the code sent by
 * another service.
 *
 * @example
 * ```ts
 * import { Bowline, BowlineError } from 'bowline'
 *
 * try {
 *   await new Bowline().sessions.get('0191e0a2-0000-7000-8000-000000000000')
 * } catch (error) {
 *   if (!(error instanceof BowlineError) || error.code !== 'SESSION_NOT_FOUND') throw error
 *   console.log(error.status, error.hint, error.requestId)
 * }
 * ```
 */
export class BowlineError extends Error {
  override readonly name = 'BowlineError'
  readonly code: ErrorCode | (string & {})
  /** HTTP status, or 0 if the error did not come from a response. */
  readonly status: number
  /** How to fix the error. */
  declare readonly hint: string | undefined
  /** Machine-readable details, such as validation issues. */
  declare readonly details: unknown
  /** Additional top-level fields of the response body. */
  declare readonly body: Readonly<Record<string, unknown>> | undefined
  /** Id of the failed request, as in the server log. */
  declare readonly requestId: string | undefined
  /** Seconds after which to retry. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode | (string & {}), message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    const entry: CatalogueEntry | undefined = Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode] : undefined
    this.code = code
    this.status = facts.status ?? entry?.status ?? 0
    const { hint = entry?.hint, details, body, requestId, retryAfterSeconds } = facts
    // Without properties that are undefined, so that a printed error is short.
    if (hint !== undefined) this.hint = hint
    if (details !== undefined) this.details = details
    if (body !== undefined) this.body = body
    if (requestId !== undefined) this.requestId = requestId
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
  }

  /** Returns the fields for `JSON.stringify()`, which would omit the message. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { code, message, hint, details, requestId, retryAfterSeconds } = this
    const status = this.status === 0 ? undefined : this.status
    return { code, message, hint, status, details, requestId, retryAfterSeconds }
  }

  /** Formats the error as `code: message (hint)`, for terminals and logs. */
  toLine(): string {
    return `${this.code}: ${this.message}${this.hint === undefined ? '' : ` (${this.hint})`}`
  }
}

/**
 * Whether `value` is a BowlineError, including one of another copy of the package.
 *
 * @example
 * ```ts
 * import { Bowline, isBowlineError } from 'bowline'
 *
 * try {
 *   await new Bowline().scrape('ftp://example.com')
 * } catch (error) {
 *   if (!isBowlineError(error)) throw error
 *   console.log(error.toLine()) // BAD_REQUEST: …
 * }
 * ```
 */
export function isBowlineError(value: unknown): value is BowlineError {
  return isError(value) && value.name === 'BowlineError' && 'code' in value
}
