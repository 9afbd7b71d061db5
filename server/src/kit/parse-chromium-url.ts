/**
 * Parses a URL that Chromium accepts. Unlike `URL`, it accepts http(s) hosts with a space, which
 * can be escaped: the result has `-` instead of each space of such a URL. Null if it is invalid.
 */
export function parseChromiumUrl(url: string): URL | null {
  return URL.parse(url) ?? (/^https?:/i.test(url) ? URL.parse(url.replaceAll(/ |%20/g, '-')) : null)
}
