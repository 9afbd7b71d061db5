import { pageUrl } from 'bowline/contract/page-url'
import { BowlineError } from 'bowline/kit/errors'

/** The pages that an agent may read. */
export interface PageScope {
  /** URLs to start at. */
  readonly urls: readonly string[]
  /** Whether it may read only `urls` and the pages below those that end in `/*`. */
  readonly isStrict: boolean
  /** Whether a URL may be read. Positions in a page (`#…`) do not matter. */
  readonly includes: (url: string) => boolean
  /** Whether frames of pages may show a URL: it has the host of one of `urls`. */
  readonly includesHostOf: (url: string) => boolean
  /** Hosts that may be opened. Undefined: all. */
  readonly hosts: readonly string[] | undefined
}

/** Creates the scope of the URLs of a request. Throws BAD_REQUEST for an invalid one. */
export function createPageScope(urls: readonly string[], isStrict: boolean): PageScope {
  const pages = new Set<string>()
  const folders: URL[] = []
  for (const url of urls) {
    const isFolder = url.endsWith('/*')
    const parsed = pageUrl.safeParse(isFolder ? url.slice(0, -1) : url)
    if (!parsed.success)
      throw new BowlineError('BAD_REQUEST', `${url}: ${parsed.error.issues[0]?.message ?? 'Invalid URL'}`)
    pages.add(withoutHash(parsed.data))
    if (isFolder) folders.push(new URL(parsed.data))
  }
  const isBelow = (url: string): boolean => {
    const parsed = URL.parse(url)
    return folders.some(({ origin, pathname }) => parsed?.origin === origin && parsed.pathname.startsWith(pathname))
  }
  const hosts = [...new Set([...pages].map((url) => new URL(url).host))]
  return {
    urls: [...pages],
    isStrict,
    includes: (url) => !isStrict || pages.has(withoutHash(url)) || isBelow(url),
    includesHostOf: (url) => !isStrict || hosts.includes(URL.parse(url)?.host ?? ''),
    hosts: isStrict ? hosts : undefined,
  }
}

function withoutHash(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  parsed.hash = ''
  return parsed.href
}
