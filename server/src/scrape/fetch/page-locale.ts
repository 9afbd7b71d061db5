import type { ScrapeRequest } from 'bowline/contract/scrape'

/** Languages and time zone that a page sees. */
export interface PageLocale {
  /** Languages in order of preference. */
  readonly languages: readonly string[]
  readonly acceptLanguage: string
  /** IANA time zone. Undefined for the few regions without one, which get that of the server. */
  readonly timezone: string | undefined
}

/**
 * Returns the languages and the time zone for the `location` of a request. Default: en-US, New
 * York.
 */
export function localeOf({ location }: Pick<ScrapeRequest, 'location'>): PageLocale {
  const country = location?.country ?? 'us'
  const likely = new Intl.Locale('und', { region: country }).maximize()
  const languages = location?.languages ?? [`${likely.language}-${likely.region ?? 'US'}`]
  const timezone = mainZones[country] ?? zonesOf(country)[0]
  return { languages, acceptLanguage: acceptLanguage(languages), timezone }
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
