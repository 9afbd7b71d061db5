import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** Whether all slots of the server are in use, or all of the team. */
export type LimitedBy = 'server' | 'team'

/** Details of CONCURRENCY_LIMIT for a session. */
export interface LimitFacts {
  readonly limitedBy: LimitedBy
  /** Number of slots. */
  readonly limit: number
}

const messages: Readonly<Record<LimitedBy, (limit: number) => string>> = {
  server: (limit) => `All ${limit} sessions of this server are in use`,
  team: (limit) =>
    `You have reached the maximum number of concurrent jobs (${limit}). Please wait until one has ended, or delete a session.`,
}

/** Creates the error for a session that has no slot. */
export function concurrencyLimit({ limitedBy, limit }: LimitFacts, retryAfterSeconds: number): BowlineError {
  return new BowlineError('CONCURRENCY_LIMIT', messages[limitedBy](limit), {
    details: { limitedBy, limit },
    retryAfterSeconds,
  })
}

/** Which limit an error reports. `undefined` for errors other than CONCURRENCY_LIMIT. */
export function limitedByOf(error: unknown): LimitedBy | undefined {
  if (!isBowlineError(error) || error.code !== 'CONCURRENCY_LIMIT') return undefined
  return (error.details as Partial<LimitFacts> | undefined)?.limitedBy ?? 'server'
}

/** Returns a copy of a CONCURRENCY_LIMIT error with further details, and possibly other texts. */
export function describeLimit(
  error: BowlineError,
  details: object,
  {
    message = error.message,
    hint = error.hint,
  }: { readonly message?: string; readonly hint?: string | undefined } = {},
): BowlineError {
  const { retryAfterSeconds } = error
  return new BowlineError('CONCURRENCY_LIMIT', message, {
    details: { ...(error.details as object | undefined), ...details },
    hint,
    retryAfterSeconds,
  })
}
