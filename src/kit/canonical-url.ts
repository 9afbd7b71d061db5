/** Longest address that is listed, in characters. */
export const maxUrlLength = 2048

const trackingParameter =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|li_fat_id|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|_ga|_gl|ref_src)$/i

/**
 * The address under which a page is listed: absolute, without fragment, credentials and tracking parameters, or without
 * any query. Undefined: it is no web address, or longer than 2048 characters.
 */
export function canonicalUrl(
  text: string,
  options: { readonly base?: URL | undefined; readonly ignoreQueryParameters: boolean },
): URL | undefined {
  if (text.length > maxUrlLength) return undefined
  const url = URL.parse(text, options.base?.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined
  // Each assignment parses the address anew, so only what is there is taken off.
  if (url.hash !== '') url.hash = ''
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '')
  if (url.search !== '') url.search = options.ignoreQueryParameters ? '' : withoutTracking(url.searchParams)
  return url.href.length > maxUrlLength ? undefined : url
}

/** What two addresses of the same page have in common: the scheme, `www.`, index files and slashes at the end are left out. */
export function identityOf(url: URL): string {
  const host = url.host.replace(/^www\./, '')
  const path = url.pathname.replace(/\/index\.(?:html?|php)$/i, '/').replace(/\/+$/, '')
  return `${host}${path}${url.search}`
}

function withoutTracking(parameters: URLSearchParams): string {
  for (const name of new Set(parameters.keys())) if (trackingParameter.test(name)) parameters.delete(name)
  return parameters.toString()
}
