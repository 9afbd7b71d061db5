import { z } from 'zod'

const entity = z.enum(['PERSON', 'EMAIL', 'PHONE', 'LOCATION', 'FINANCIAL', 'SECRET'])

/** Kind of personal data. */
export type PiiEntity = z.output<typeof entity>

/** Kinds that have a form by which rules recognize them. */
const recognized: readonly PiiEntity[] = ['EMAIL', 'PHONE', 'FINANCIAL', 'SECRET']

const entities = z
  .array(
    entity.refine((name) => recognized.includes(name), {
      error: ({ input }) =>
        `${String(input)} is not supported: this server redacts by rules, which recognize ${recognized.join(', ')}`,
    }),
  )
  .min(1)
  .max(6)

/** How personal data is redacted. */
export const redactOptions = z.strictObject({
  /** `aggressive` also redacts numbers that may be something else. Default: `accurate`. */
  mode: z.enum(['accurate', 'aggressive', 'fast']).default('accurate'),
  /** Default: all that rules recognize, `EMAIL`, `PHONE`, `FINANCIAL` and `SECRET`. */
  entities: entities.default([...recognized]),
  /** `[EMAIL]`, `***` or nothing in place of the data. Default: `tag`. */
  replaceStyle: z.enum(['tag', 'mask', 'remove']).default('tag'),
})

/** How personal data is redacted. */
export type RedactOptions = z.output<typeof redactOptions>

/** Schema of `redactPII`: `true` for the defaults. */
export const redactPii = z.union([z.boolean(), redactOptions])

/** Returns the options of a redaction, or undefined for none. */
export function redactionOf(value: z.output<typeof redactPii> | undefined): RedactOptions | undefined {
  if (value === undefined || value === false) return undefined
  return value === true ? redactOptions.parse({}) : value
}
