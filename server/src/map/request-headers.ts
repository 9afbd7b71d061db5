import type { MapRequest } from 'bowline/contract/map'
import { crossOriginHeaders } from '../kit/forward-headers.ts'
import { headerScope } from './site.ts'

/** The name by which robots.txt files know us. */
export const robotsName = 'Bowline'

const userAgent = `Mozilla/5.0 (compatible; ${robotsName})`

/** Makes the headers of a request to an address. Those of the caller go to the site that was asked for, and not to one that it redirects to. */
export function createHeadersFor(
  request: Pick<MapRequest, 'url' | 'includeSubdomains' | 'location' | 'headers'>,
): (url: URL) => Readonly<Record<string, string>> {
  const ours = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5',
    'accept-language': acceptLanguage(request.location ?? {}),
  }
  const theirs = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const takesHeaders = headerScope(new URL(request.url), request)
  return (url) => ({ ...ours, ...(takesHeaders(url) ? theirs : crossOriginHeaders(theirs)) })
}

function acceptLanguage({ country = 'us', languages }: NonNullable<MapRequest['location']>): string {
  const region = country.toUpperCase()
  const spoken = new Intl.Locale('und', { region }).maximize().language
  const wanted = languages?.length ? languages : [`${spoken}-${region}`, spoken, 'en']
  return [...new Set(wanted)]
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`))
    .join(',')
}
