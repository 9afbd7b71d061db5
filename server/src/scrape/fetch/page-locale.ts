import type { ScrapeRequest } from 'bowline/contract/scrape'

/** Where a page thinks its reader is. */
export interface PageLocale {
  /** Languages, best first. */
  readonly languages: readonly string[]
  readonly acceptLanguage: string
  /** IANA name; undefined: that of the server, for the few regions without one. */
  readonly timezone: string | undefined
}

/** Where most people live, of countries with several time zones. */
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

/** Where a request wants to be: languages and time zone of its country. Default: the United States, New York. */
export function localeOf({ location }: Pick<ScrapeRequest, 'location'>): PageLocale {
  const country = location?.country ?? 'us'
  const spoken = new Intl.Locale('und', { region: country }).maximize()
  const languages = location?.languages ?? [`${spoken.language}-${spoken.region ?? 'US'}`]
  const timezone = mainZones[country] ?? zonesOf(country)[0]
  return { languages, acceptLanguage: acceptLanguage(languages), timezone }
}

function zonesOf(country: string): readonly string[] {
  // Newer than the types of the compiler, and named twice over its history.
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
