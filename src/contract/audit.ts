import { z } from 'zod'

/** Says on whose behalf a call is made. Other keys are ignored. */
export const auditMetadata = z.object({
  /** User of the caller's application. */
  username: z.string().max(1024).optional(),
})

/** Says on whose behalf a call is made. */
export type AuditMetadata = z.output<typeof auditMetadata>
