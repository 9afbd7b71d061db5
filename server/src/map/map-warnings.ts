import { mapLimits, type MapRequest } from 'bowline/contract/map'

/** Result of a map that its warnings depend on. */
export interface MapOutcome {
  /** Number of links of the map. */
  readonly count: number
  /** Whether no page lies under the path, so that pages of the whole site are listed. */
  readonly isPage: boolean
  /** Milliseconds after which the map stopped, if it did before its end. */
  readonly stoppedAfterMs: number | undefined
  readonly hasSitemap: boolean
  /** Whether there were more links to follow. */
  readonly isTruncated: boolean
  /** HTTP status of the start page, if it was an error. */
  readonly status: number | undefined
  /** URL of the start page after redirects. */
  readonly finalUrl: URL | undefined
}

/** Returns why the map has few or other pages than requested, and why there may be more. */
export function warningsOf(request: MapRequest, outcome: MapOutcome): readonly string[] {
  return [explainPages(request, outcome), explainEnd(request, outcome)].filter((text) => text !== undefined)
}

/** Explains other pages, or few. A map that was stopped may have few for that reason alone. */
function explainPages(
  { url, sitemap, limit }: MapRequest,
  { count, isPage, stoppedAfterMs, hasSitemap, isTruncated, status, finalUrl }: MapOutcome,
): string | undefined {
  const { origin, pathname } = new URL(url)
  if (status !== undefined && count === 0) return `${url} responded with status ${status}, and no page was found.`
  if (isPage) {
    const site = finalUrl?.origin ?? origin
    return `No pages were found under ${pathname}, so other pages of ${site} are listed.`
  }
  if (stoppedAfterMs !== undefined) return undefined
  if (sitemap === 'only' && !hasSitemap) return `No sitemap was found at ${origin}.`
  if (count <= 1 && pathname !== '/')
    return `${count === 0 ? 'No page' : 'Only 1 page'} was found. Mapping ${origin} may find more.`
  if (count === 1 && limit > 1 && sitemap !== 'only' && !isTruncated)
    return `Only the start page was found. It has no links to other pages of ${origin}, and no sitemap lists any.`
  return undefined
}

/** Explains why the map may lack pages: its time, its default limit, or that of followed links. */
function explainEnd(
  { url, limit }: MapRequest,
  { count, stoppedAfterMs, isTruncated }: MapOutcome,
): string | undefined {
  if (count === limit && limit === mapLimits.default)
    return `The map has ${limit} pages, which is the default limit, so there may be more. Set \`limit\` to at most ${mapLimits.max}.`
  if (stoppedAfterMs !== undefined)
    return `The map stopped after ${stoppedAfterMs / 1000} s, so there may be more pages.`
  if (isTruncated && count < limit)
    return `${new URL(url).origin} has no sitemap, and only some of its links were followed, so there may be more pages.`
  return undefined
}
