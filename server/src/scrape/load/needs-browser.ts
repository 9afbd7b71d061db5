import type { ScrapeRequest } from 'bowline/contract/scrape'

/** How a page is loaded: by one HTTP request, or in a browser. */
export type Way = 'fetch' | 'render'

/** What can only be had in a browser, each with the test that tells. */
const browserOnly: readonly (readonly [string, (request: ScrapeRequest) => boolean])[] = [
  ['actions', ({ actions = [] }) => actions.length > 0],
  ['screenshot', ({ formats }) => formats.some(({ type }) => type === 'screenshot')],
  ['waitFor', ({ waitFor }) => waitFor > 0],
  ['mobile', ({ mobile }) => mobile],
  ['profile', ({ profile }) => profile !== undefined],
]

/** Statuses with which sites turn away what is no browser. */
const turnedAway: ReadonlySet<number> = new Set([403, 429, 503])

/** The options that ask for a browser; none: the page is fetched first. */
export function reasonsToRender(request: ScrapeRequest): readonly string[] {
  return browserOnly.filter(([, test]) => test(request)).map(([name]) => name)
}

/** What tells whether a page that was fetched will do. */
interface FetchedFacts {
  readonly kind: string
  readonly statusCode: number
  readonly isShell: boolean
  /** Whether it has a `Retry-After` header. */
  readonly saysWhen: boolean
}

/**
 * Whether a page that was fetched must be rendered after all.
 *
 * | fetched page                                    | then     |
 * |-------------------------------------------------|----------|
 * | PDF, image, text, JSON, XML                     | keep     |
 * | HTML with `fastMode`                            | keep     |
 * | HTML with 429 or 503 that says when to return   | keep     |
 * | HTML with status 403, or other 429 or 503       | render   |
 * | HTML that is an empty shell before its scripts  | render   |
 * | other HTML                                      | keep     |
 */
export function wayAfterFetch({ fastMode }: Pick<ScrapeRequest, 'fastMode'>, page: FetchedFacts): Way {
  if (page.kind !== 'html' || fastMode) return 'fetch'
  // A browser that comes at once is no more welcome.
  if (page.saysWhen && (page.statusCode === 429 || page.statusCode === 503)) return 'fetch'
  return page.isShell || turnedAway.has(page.statusCode) ? 'render' : 'fetch'
}
