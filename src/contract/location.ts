import { z } from 'zod'
import { boundedArray } from './bounded.ts'
import { countryCode } from './country.ts'
import { preprocess } from './preprocess.ts'

/** Matches a language tag, such as `de` or `pt-BR`. Patterns in JSON Schema have no flag `i`. */
export const languageTag = /^[A-Za-z]{2,3}(?:[-_][A-Za-z\d]{2,8})*$/

/** Emulated location of the visitor. */
export const location = z.strictObject({
  /**
   * ISO 3166-1 country code, such as `DE`. Sets the time zone and the default of `languages`.
   * `us-generic` is an alias of `US`. Default: `US`.
   */
  country: preprocess((value) => (value === 'us-generic' ? 'us' : value), countryCode).optional(),
  /**
   * Preferred languages, such as `de` or `pt-BR`, in order. An `Accept-Language` header replaces
   * them. Default: the languages of the country.
   */
  languages: boundedArray(
    z
      .string()
      .regex(languageTag, 'must be a language tag, such as `de` or `pt-BR`')
      .transform((tag) => tag.replaceAll('_', '-')),
    20,
  ).optional(),
})
