import type { z } from 'zod'
import { listIssues, shorten, andMore } from 'bowline/contract/validation-issues'
import { BowlineError } from 'bowline/kit/errors'

/**
 * Creates the error for a translated request that v2 rejects. `details` holds the first zod issues.
 */
export function invalidOptions(error: z.core.$ZodError): BowlineError {
  const [first] = error.issues
  const { issues: details, more } = listIssues(error.issues)
  const issue = `${shorten(first?.path.join('.') ?? 'body')}: ${shorten(first?.message ?? 'invalid')}`
  return new BowlineError('BAD_REQUEST', `Bad Request: ${issue}${andMore(more)}`, { details })
}
