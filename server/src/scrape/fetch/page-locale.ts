import { languageTag } from 'bowline/contract/location'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { callerHeader } from '../../kit/forward-headers.ts'

/** Languages and time zone that a page sees. */
export interface PageLocale {
  /** Languages in order of preference. */
  readonly languages: readonly string[]
  readonly acceptLanguage: string
  /** IANA time zone. Undefined for the few regions without one, which get that of the server. */
  readonly timezone: string | undefined
}

/**
 * Returns the languages and the time zone for the `location` of a request. An `Accept-Language`
 * header of the caller replaces the languages. Default: en-US, New York.
 */
export function localeOf({ location, headers = {} }: Pick<ScrapeRequest, 'location' | 'headers'>): PageLocale {
  const { language, timezone } = defaultsOf(location?.country ?? 'us')
  const named = location?.languages ?? []
  const languages = languagesIn(callerHeader(headers, 'accept-language')) ?? (named.length > 0 ? named : [language])
  return { languages, acceptLanguage: acceptLanguage(languages), timezone }
}

/**
 * Returns a `location` without parts that repeat a default. Undefined for the default location.
 */
export function canonicalLocation({ country = 'us', languages = [] }: Location = {}): Location | undefined {
  const { language } = defaultsOf(country)
  const hasDefaultLanguage = languages.length === 0 || (languages.length === 1 && languages[0] === language)
  if (hasDefaultLanguage && country === 'us') return undefined
  return { ...(country !== 'us' && { country }), ...(!hasDefaultLanguage && { languages }) }
}

type Location = NonNullable<ScrapeRequest['location']>

/** Language and time zone by country. Finding them takes longer than the rest of a locale. */
const defaultsByCountry = new Map<string, { readonly language: string; readonly timezone: string | undefined }>()

function defaultsOf(country: string): { readonly language: string; readonly timezone: string | undefined } {
  const known = defaultsByCountry.get(country)
  if (known !== undefined) return known
  const likely = new Intl.Locale('und', { region: country }).maximize()
  const language = `${likely.language}-${likely.region ?? 'US'}`
  const defaults = { language, timezone: mainZones[country] ?? zonesOf(country)[0] }
  defaultsByCountry.set(country, defaults)
  return defaults
}

/** Maximum number of languages that are read from a header, as in `location.languages`. */
const maxLanguages = 20

/** Reads an `Accept-Language` header, preferred languages first. Undefined if it names none. */
function languagesIn(header = ''): readonly string[] | undefined {
  const accepted = header.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.split(';').map((each) => each.trim())
    const weight = Number(parameters.find((each) => /^q\s*=/i.test(each))?.replace(/^q\s*=/i, '') ?? 1)
    return languageTag.test(tag) && weight > 0 ? [{ tag: tag.replaceAll('_', '-'), weight }] : []
  })
  const ordered = accepted.toSorted((left, right) => right.weight - left.weight).map(({ tag }) => tag)
  return ordered.length === 0 ? undefined : [...new Set(ordered)].slice(0, maxLanguages)
}

function zonesOf(country: string): readonly string[] {
  // Not in TypeScript's types yet. Engines have it as a method or, in older versions, as a getter.
  const locale = new Intl.Locale('und', { region: country }) as Intl.Locale & {
    readonly timeZones?: readonly string[]
    readonly getTimeZones?: () => readonly string[] | undefined
  }
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}

function acceptLanguage(languages: readonly string[]): string {
  const all = languages.flatMap((language) => [language, language.split(/[-_]/)[0] ?? language])
  return [...new Set(all)]
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`))
    .join(',')
}

/** Most populous time zone of countries with several. */
const mainZones: Readonly<Record<string, string>> = {
  ar: 'America/Argentina/Buenos_Aires',
  au: 'Australia/Sydney',
  br: 'America/Sao_Paulo',
  ca: 'America/Toronto',
  cd: 'Africa/Kinshasa',
  cl: 'America/Santiago',
  cn: 'Asia/Shanghai',
  de: 'Europe/Berlin',
  ec: 'America/Guayaquil',
  es: 'Europe/Madrid',
  id: 'Asia/Jakarta',
  kz: 'Asia/Almaty',
  mn: 'Asia/Ulaanbaatar',
  mx: 'America/Mexico_City',
  my: 'Asia/Kuala_Lumpur',
  nz: 'Pacific/Auckland',
  pt: 'Europe/Lisbon',
  ru: 'Europe/Moscow',
  ua: 'Europe/Kyiv',
  us: 'America/New_York',
  uz: 'Asia/Tashkent',
}
