import type { z } from 'zod'
import { listIssues, shorten, andMore } from 'bowline/contract/validation-issues'
import { BowlineError } from 'bowline/kit/errors'

/** The error for a translated request that breaks a rule: `details` holds the first of zod's issues. */
export function invalidOptions(error: z.core.$ZodError): BowlineError {
  const [first] = error.issues
  const { issues: details, more } = listIssues(error.issues)
  const flaw = `${shorten(first?.path.join('.') ?? 'body')}: ${shorten(first?.message ?? 'invalid')}`
  return new BowlineError('BAD_REQUEST', `Bad Request: ${flaw}${andMore(more)}`, { details })
}
