import { z } from 'zod'
import { boundedArray } from './bounded.ts'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Emulated location of the visitor. */
export const location = z.strictObject({
  /**
   * ISO 3166-1 country code, such as `DE`. Sets the time zone and the default of `languages`.
   * Default: `US`.
   */
  country: z
    .string()
    .refine((code) => /^[a-z]{2}$/i.test(code) && countries.of(code.toUpperCase()) !== undefined, {
      error: 'must be a two-letter country code (ISO 3166-1), such as `DE`',
    })
    .transform((code) => code.toLowerCase())
    .optional(),
  /**
   * Preferred languages, such as `de` or `pt-BR`, in order. Default: the languages of the country.
   */
  languages: boundedArray(
    z
      .string()
      .regex(/^[a-z]{2,3}(?:[-_][a-z\d]{2,8})*$/i, 'must be a language tag, such as `de` or `pt-BR`')
      .transform((tag) => tag.replaceAll('_', '-')),
    20,
  ).optional(),
})
