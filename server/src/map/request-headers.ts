import type { MapRequest } from 'bowline/contract/map'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from './site.ts'

/** Product token matched in robots.txt files. */
export const robotsAgent = 'Bowline'

const userAgent = `Mozilla/5.0 (compatible; ${robotsAgent})`

/**
 * Returns a function that creates the request headers for a URL. Custom headers are only sent to
 * the requested site, not to sites that it redirects to.
 */
export function createHeadersFor(
  request: Pick<MapRequest, 'url' | 'includeSubdomains' | 'location' | 'headers'>,
): (url: URL) => Readonly<Record<string, string>> {
  const defaults = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5',
    'accept-language': acceptLanguage(request.location ?? {}),
  }
  const custom = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const isInHeaderScope = headerScope(new URL(request.url), request)
  return (url) => ({ ...defaults, ...(isInHeaderScope(url) ? custom : crossOriginHeaders(custom)) })
}

function acceptLanguage({ country = 'us', languages }: NonNullable<MapRequest['location']>): string {
  const region = country.toUpperCase()
  const regionLanguage = new Intl.Locale('und', { region }).maximize().language
  const wanted = languages?.length ? languages : [`${regionLanguage}-${region}`, regionLanguage, 'en']
  return [...new Set(wanted)]
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`))
    .join(',')
}
