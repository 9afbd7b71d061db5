import { z } from 'zod'
import { parseDomainPattern } from '../kit/domain-pattern.ts'
import { isTimeZone } from '../kit/is-time-zone.ts'
import { atMostEntries } from './bounded.ts'
import { languageTag } from './location.ts'

/** Limits of the options that decide how a session presents itself to sites. */
export const emulationLimits = {
  /** Sizes in CSS pixels. */
  viewport: { min: 100, max: 8192, maxDevicePixels: 40_000_000, deviceScaleFactor: { min: 0.5, max: 4 } },
  userAgentLength: 1000,
  extraHeaders: { origins: 50, headers: 50, valueLength: 4096 },
} as const

const { viewport: viewportLimits, extraHeaders: headerLimits } = emulationLimits

const pixels = z.int().min(viewportLimits.min).max(viewportLimits.max)

/** Size of the pages of a session, and of the screen that they see. */
export const viewport = z
  .strictObject({
    /** CSS pixels, 100 to 8192. */
    width: pixels,
    height: pixels,
    /** Device pixels per CSS pixel, 0.5 to 4. Default: 1. */
    deviceScaleFactor: z
      .number()
      .min(viewportLimits.deviceScaleFactor.min)
      .max(viewportLimits.deviceScaleFactor.max)
      .default(1),
  })
  .refine(
    ({ width, height, deviceScaleFactor }) => width * height * deviceScaleFactor ** 2 <= viewportLimits.maxDevicePixels,
    'has more than 40 million device pixels: reduce `width`, `height` or `deviceScaleFactor`',
  )

/** Language tag of a session, such as `de-DE`. */
export const sessionLocale = z
  .string()
  .max(35)
  .refine(isLocale, 'must be a language tag, such as `de-DE` or `pt-BR`')
  .transform((tag) => Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? tag)

/** Time zone of a session, such as `Europe/Berlin`. */
export const sessionTimezone = z
  .string()
  .max(60)
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as `Europe/Berlin` or `UTC`')

/** Position that the pages of a session see. */
export const sessionGeolocation = z.strictObject({
  /** Degrees, -90 to 90. */
  latitude: z.number().min(-90).max(90),
  /** Degrees, -180 to 180. */
  longitude: z.number().min(-180).max(180),
  /** Metres. Default: 1. */
  accuracy: z.number().min(0).max(1_000_000).default(1),
})

/** `User-Agent` header and `navigator.userAgent` of a session. */
export const sessionUserAgent = z
  .string()
  .min(1)
  .max(emulationLimits.userAgentLength)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII without spaces at its ends')

const headers = z
  .record(
    z.string().max(200).superRefine(checkHeaderName),
    z
      .string()
      .max(headerLimits.valueLength)
      .regex(/^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/, 'must be printable ASCII without spaces at its ends'),
  )
  .superRefine(atMostEntries(headerLimits.headers))

/**
 * Headers that a session adds to requests, by origin. `https://*.example.com` are the origins of
 * all subdomains.
 */
export const sessionExtraHeaders = z
  .record(
    z
      .string()
      .max(300)
      .refine(
        (text) => parseOriginPattern(text) !== undefined,
        'must be an origin, such as https://api.example.com, or one with `*.`, such as https://*.example.com',
      ),
    headers,
  )
  .superRefine(atMostEntries(headerLimits.origins))

/** An origin, or the origins of all subdomains of a host. */
export interface OriginPattern {
  readonly protocol: 'http:' | 'https:'
  /** Host and port, as `parseDomainPattern` reads it. */
  readonly domain: string
}

/** Parses a key of `extraHeaders`. Undefined if it is not an origin, or one with `*.`. */
export function parseOriginPattern(text: string): OriginPattern | undefined {
  const [, scheme = '', host = ''] = /^(https?):\/\/([^/]+)\/?$/i.exec(text) ?? []
  const pattern = parseDomainPattern(host)
  if (pattern === undefined) return undefined
  const protocol = scheme.toLowerCase() === 'https' ? 'https:' : 'http:'
  const domain = pattern.port === undefined ? `${host}:${protocol === 'https:' ? 443 : 80}` : host
  return { protocol, domain }
}

function isLocale(tag: string): boolean {
  if (!languageTag.test(tag)) return false
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-')).length === 1
  } catch {
    return false
  }
}

function checkHeaderName(name: string, context: z.core.$RefinementCtx): void {
  const message = headerNameFault(name)
  if (message !== undefined) context.addIssue({ code: 'custom', message, input: name })
}

function headerNameFault(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name)) return 'is not a name of a header, such as x-api-key'
  const lower = name.toLowerCase()
  const instead = replacedHeaders[lower]
  if (instead !== undefined) return `cannot be set here: ${instead}`
  if (browserHeaders.has(lower) || /^(?:proxy-|sec-|access-control-)/.test(lower))
    return 'cannot be set: the browser decides on this header'
  return undefined
}

/** Headers with an option of their own. */
const replacedHeaders: Readonly<Record<string, string>> = {
  'accept-language': 'set `locale`',
  'user-agent': 'set `userAgent`',
  cookie: 'set cookies in the page, or use a profile',
}

/** Headers that describe the message or the connection. Others would break the protocol. */
const browserHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie2',
  'date',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'range',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])

/** Options of a session that decide how it presents itself to sites. */
export interface SessionEmulation {
  readonly viewport?: Viewport | undefined
  readonly locale?: string | undefined
  readonly timezone?: string | undefined
  readonly geolocation?: SessionGeolocation | undefined
  readonly userAgent?: string | undefined
  readonly extraHeaders?: SessionExtraHeaders | undefined
}

export type Viewport = z.output<typeof viewport>
export type SessionGeolocation = z.output<typeof sessionGeolocation>
export type SessionExtraHeaders = z.output<typeof sessionExtraHeaders>
