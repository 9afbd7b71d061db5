import { z } from 'zod'
import { boundedArray, clientName } from './bounded.ts'
import { parseOriginPattern } from './session-emulation.ts'

/** Limits of one secret. Values shorter than `minLength` could not be masked in texts. */
export const secretLimits = { minLength: 4, maxLength: 8192, origins: 20 } as const

/** Name of a secret. */
export const secretName = z.string().regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, `_`, `.` or `-`')

/** Path parameters of `PUT /v2/secrets/{name}`. */
export const setSecretParams = z.object({ name: secretName })

/** Kind of a secret. `totp`: the seed of one-time passwords. */
export const secretKind = z.enum(['text', 'totp'])

/** Path parameters of a secret. */
export const secretParams = z.object({ name: z.string().min(1).max(200) })

const origin = z
  .string()
  .max(300)
  .refine(
    isSecretOrigin,
    'must be an origin, such as https://example.com, or one with `*.` for all subdomains, such as https://*.example.com',
  )

/** Body of `PUT /v2/secrets/{name}`. Unknown keys are rejected: `kind` must not be misspelt. */
export const setSecretRequest = z.strictObject({
  /** Text, or for `totp` a base32 seed or an `otpauth://totp/` URL. No response contains it. */
  value: z
    .string()
    .min(secretLimits.minLength)
    .max(secretLimits.maxLength)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode'),
  /** `text` is typed as it is; `totp` is a seed for one-time codes. Default: `text`. */
  kind: secretKind.default('text'),
  /**
   * Origins of the pages and frames into which the secret may be typed. `https://*.example.com` are
   * all subdomains, but not `https://example.com`.
   */
  origins: boundedArray(origin, secretLimits.origins, 1),
  /** Name of the client program. Ignored. */
  origin: clientName.optional(),
})

/** A secret without its value. */
export const secretSummary = z.looseObject({
  name: z.string(),
  kind: secretKind,
  origins: z.array(z.string()),
  createdAt: z.string(),
  /** When its value was last set. */
  updatedAt: z.string(),
})

/** Response of `GET /v2/secrets`, by name. */
export const listSecretsResponse = z.looseObject({ success: z.literal(true), data: z.array(secretSummary) })

/** Response of the routes that return one secret. */
export const secretResponse = z.looseObject({ success: z.literal(true), data: secretSummary })

/** Response of `DELETE /v2/secrets/{name}`. */
export const deleteSecretResponse = z.looseObject({ success: z.literal(true) })

/**
 * A secret without its value.
 *
 * @example
 * ```ts
 * import { Bowline, type SecretSummary } from 'bowline'
 *
 * const secrets: readonly SecretSummary[] = await new Bowline().secrets.list()
 * for (const { name, origins } of secrets) console.log(name, origins)
 * ```
 */
export type SecretSummary = z.output<typeof secretSummary>

/**
 * Value, kind and origins of a secret.
 *
 * @example
 * ```ts
 * import { Bowline, type SecretOptions } from 'bowline'
 *
 * const options: SecretOptions = {
 *   value: 'otpauth://totp/Shop:ann?secret=JBSWY3DPEHPK3PXP',
 *   kind: 'totp',
 *   origins: ['https://shop.example.com'],
 * }
 * await new Bowline().secrets.set('SHOP_CODE', options)
 * ```
 */
export type SecretOptions = Omit<z.input<typeof setSecretRequest>, 'origin'>

/** Whether a text is an origin to which a secret can be bound. Wildcards need https. */
function isSecretOrigin(text: string): boolean {
  const pattern = parseOriginPattern(text)
  return pattern !== undefined && (!pattern.domain.startsWith('*.') || pattern.protocol === 'https:')
}
