/** The browser that requests claim to come from. */
export interface BrowserIdentity {
  /** Major version of the server's Chromium, such as `156`. */
  readonly chromeMajor: string
  readonly isMobile: boolean
  /** Such as `de-DE,de;q=0.9`. */
  readonly acceptLanguage: string
}

/** Returns the user agent of Chrome with a window, on Linux or Android. */
export function userAgentOf({ chromeMajor, isMobile }: Pick<BrowserIdentity, 'chromeMajor' | 'isMobile'>): string {
  return isMobile
    ? `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeMajor}.0.0.0 Mobile Safari/537.36`
    : `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeMajor}.0.0.0 Safari/537.36`
}

/** Returns the headers that a browser sends when it opens a page. Names are lower case. */
export function browserHeaders(identity: BrowserIdentity): Readonly<Record<string, string>> {
  return {
    'user-agent': userAgentOf(identity),
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'accept-language': identity.acceptLanguage,
    'accept-encoding': 'gzip, deflate, br, zstd',
    'upgrade-insecure-requests': '1',
  }
}
