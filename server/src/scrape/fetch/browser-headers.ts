/** What the headers of a request are made from. */
export interface BrowserIdentity {
  /** Main version of the browser that the server has, such as `156`. */
  readonly chromeMajor: string
  readonly isMobile: boolean
  /** Such as `de-DE,de;q=0.9`. */
  readonly acceptLanguage: string
}

/** The user agent that pages see: that of a browser with a window. */
export function userAgentOf({ chromeMajor, isMobile }: Pick<BrowserIdentity, 'chromeMajor' | 'isMobile'>): string {
  return isMobile
    ? `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeMajor}.0.0.0 Mobile Safari/537.36`
    : `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeMajor}.0.0.0 Safari/537.36`
}

/** The headers of a request for a page. Names are lower case. */
export function browserHeaders(identity: BrowserIdentity): Readonly<Record<string, string>> {
  return {
    'user-agent': userAgentOf(identity),
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'accept-language': identity.acceptLanguage,
    'accept-encoding': 'gzip, deflate, br, zstd',
    'upgrade-insecure-requests': '1',
  }
}
