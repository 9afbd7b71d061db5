import { catalogue, type CatalogueEntry, type ErrorCode } from './catalogue.ts'
import { isError } from './is-error.ts'

/** The facts of an error beside its code and message. */
export interface ErrorFacts {
  /** What to do about it. Default: the hint of the catalogue. */
  readonly hint?: string | undefined
  /** Machine-readable details, such as validation issues. */
  readonly details?: unknown
  /** Further keys of the answer's body, where clients of this API look for them. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Id of the request that failed, as the server logged it. */
  readonly requestId?: string | undefined
  /** HTTP status. Default: the status of the catalogue. */
  readonly status?: number | undefined
  /** Seconds after which a retry makes sense. Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** The one error class of Bowline. `code` is from the catalogue, or as a foreign service sent it. */
export class BowlineError extends Error {
  override readonly name = 'BowlineError'
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly hint: string | undefined
  readonly details: unknown
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode | (string & {}), message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    const entry: CatalogueEntry | undefined = Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode] : undefined
    this.code = code
    this.status = facts.status ?? entry?.status ?? 0
    this.hint = facts.hint ?? entry?.hint
    this.details = facts.details
    this.body = facts.body
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }

  /** `code: message (hint)` on one line, for terminals and logs. */
  toLine(): string {
    return `${this.code}: ${this.message}${this.hint === undefined ? '' : ` (${this.hint})`}`
  }
}

/** Whether `value` is a BowlineError, from this copy of the package or another. */
export function isBowlineError(value: unknown): value is BowlineError {
  return isError(value) && value.name === 'BowlineError' && 'code' in value
}
