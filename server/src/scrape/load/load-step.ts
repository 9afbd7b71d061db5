import type { ScrapeRequest } from 'bowline/contract/scrape'

/** How to load a page: with one HTTP request, or in a browser. */
export type LoadStep = 'fetch' | 'render'

/**
 * Returns the options of a request that only a browser can apply. Empty: the page is fetched first.
 */
export function browserOnlyOptions(request: ScrapeRequest): readonly string[] {
  return browserOnly.filter(([, isSet]) => isSet(request)).map(([name]) => name)
}

const browserOnly: readonly (readonly [string, (request: ScrapeRequest) => boolean])[] = [
  ['actions', ({ actions = [] }) => actions.length > 0],
  ['screenshot', ({ formats }) => formats.some(({ type }) => type === 'screenshot')],
  ['branding', ({ formats }) => formats.some(({ type }) => type === 'branding')],
  ['waitFor', ({ waitFor }) => waitFor > 0],
  ['mobile', ({ mobile }) => mobile],
  ['profile', ({ profile }) => profile !== undefined],
]

/** Statuses that sites send to clients that do not look like a browser. */
const blockedStatuses: ReadonlySet<number> = new Set([403, 429, 503])

interface FetchedPage {
  readonly kind: string
  readonly statusCode: number
  /** Whether the page is empty until its scripts have run or its frames have loaded. */
  readonly isShell: boolean
  readonly hasRetryAfter: boolean
}

/**
 * Decides whether a fetched page must be rendered as well.
 *
 * | fetched page                                    | then     |
 * |-------------------------------------------------|----------|
 * | PDF, image, text, JSON, XML                     | keep     |
 * | HTML with `fastMode`                            | keep     |
 * | HTML with 429 or 503 and `Retry-After`          | keep     |
 * | HTML with status 403, or other 429 or 503       | render   |
 * | HTML that is empty without scripts and frames   | render   |
 * | other HTML                                      | keep     |
 */
export function nextLoadStep({ fastMode }: Pick<ScrapeRequest, 'fastMode'>, page: FetchedPage): LoadStep {
  if (page.kind !== 'html' || fastMode) return 'fetch'
  // An immediate second request, from a browser, would be throttled as well.
  if (page.hasRetryAfter && (page.statusCode === 429 || page.statusCode === 503)) return 'fetch'
  return page.isShell || blockedStatuses.has(page.statusCode) ? 'render' : 'fetch'
}
