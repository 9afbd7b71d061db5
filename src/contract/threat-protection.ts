import { z } from 'zod'

/** Only the mode `off`: threat protection is not supported. */
export const threatProtection = z
  .looseObject({
    mode: z.literal('off', 'This server has no threat protection. Remove `threatProtection` or set its mode to `off`'),
  })
  .optional()
