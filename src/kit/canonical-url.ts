import { trimEnd } from './trim-end.ts'

/** Maximum length of a listed URL in characters. */
export const maxUrlLength = 2048

const trackingParameter =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|li_fat_id|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|_ga|_gl|ref_src)$/i

/**
 * Returns the canonical URL of a page: absolute, without fragment, credentials and tracking
 * parameters, or without any query. Returns `undefined` for other schemes than http and https, and
 * for more than 2048 characters.
 */
export function canonicalUrl(
  text: string,
  options: { readonly base?: URL | undefined; readonly ignoreQueryParameters: boolean },
): URL | undefined {
  if (text.length > maxUrlLength) return undefined
  const url = URL.parse(text, options.base?.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined
  // Each assignment reparses the URL, so only parts that exist are removed.
  if (url.hash !== '') url.hash = ''
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (url.hostname.endsWith('.')) url.hostname = trimEnd(url.hostname, '.')
  if (url.search !== '') url.search = options.ignoreQueryParameters ? '' : withoutTracking(url.searchParams)
  return url.href.length > maxUrlLength ? undefined : url
}

/**
 * Returns a key that is equal for URLs of the same page. Ignores scheme, `www.`, index files and
 * trailing slashes.
 */
export function pageKeyOf(url: URL): string {
  const host = url.host.replace(/^www\./, '')
  const path = trimEnd(url.pathname.replace(/\/index\.(?:html?|php)$/i, '/'), '/')
  return `${host}${path}${url.search}`
}

function withoutTracking(parameters: URLSearchParams): string {
  // Deleting them one by one would write the whole URL each time.
  return new URLSearchParams([...parameters].filter(([name]) => !trackingParameter.test(name))).toString()
}
