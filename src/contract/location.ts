import { z } from 'zod'
import { boundedArray } from './bounded.ts'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Where a page should think its reader is. */
export const location = z.strictObject({
  /** Two letters, such as `DE` (ISO 3166-1). Decides language and time zone when `languages` is absent. Default `US`. */
  country: z
    .string()
    .refine((code) => /^[a-z]{2}$/i.test(code) && countries.of(code.toUpperCase()) !== undefined, {
      error: 'it is no country: two letters are expected, such as `DE` (ISO 3166-1)',
    })
    .transform((code) => code.toLowerCase())
    .optional(),
  /** Such as `de` or `pt-BR`, best first. Default: what is spoken in the country. */
  languages: boundedArray(
    z
      .string()
      .regex(/^[a-z]{2,3}(?:[-_][a-z\d]{2,8})*$/i, 'it is no language: write `de` or `pt-BR`')
      .transform((tag) => tag.replaceAll('_', '-')),
    20,
  ).optional(),
})
