import type { BowlineError } from '../kit/errors.ts'

/**
 * Formats an error for a terminal, as `CODE: message (hint)`. Names the seconds after which to
 * retry instead of the header that has them.
 */
// Does not use a method of the error, which can be an instance of another copy of the package.
export function errorLine(error: BowlineError): string {
  const { code, hint, retryAfterSeconds: seconds } = error
  const message = code === 'RATE_LIMITED' && seconds !== undefined ? rateLimitMessage(error) : error.message
  const remedy = seconds === undefined ? hint : hint?.replace(/after the seconds in `Retry-After`/, `in ${seconds} s`)
  return `${code}: ${message}${remedy === undefined ? '' : ` (${remedy})`}`
}

/** The message of the server has the form that public clients parse. */
function rateLimitMessage({ details }: BowlineError): string {
  if (typeof details !== 'object' || details === null) return 'Rate limit exceeded'
  const { bucket, limit } = details as { readonly bucket?: unknown; readonly limit?: unknown }
  if (typeof bucket !== 'string' || typeof limit !== 'number') return 'Rate limit exceeded'
  return `Rate limit exceeded: the team has ${limit} requests per minute for \`${bucket}\``
}
