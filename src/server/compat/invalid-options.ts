import type { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'

/** The error for a translated request that breaks a rule: `details` holds zod's issues. */
export const invalidOptions = (error: z.core.$ZodError): BowlineError => {
  const [first] = error.issues
  return new BowlineError(
    'BAD_REQUEST',
    `Bad Request: ${first?.path.join('.') ?? 'body'}: ${first?.message ?? 'invalid'}`,
    {
      details: error.issues,
    },
  )
}
