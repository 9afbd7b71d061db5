import type { ScrapeRequest } from '../../contract/scrape.ts'

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
export const reasonsToRender = (request: ScrapeRequest): readonly string[] =>
  browserOnly.filter(([, test]) => test(request)).map(([name]) => name)

/**
 * Whether a page that was fetched must be rendered after all.
 *
 * | fetched page                                    | then     |
 * |-------------------------------------------------|----------|
 * | PDF, image, text, JSON, XML                     | keep     |
 * | HTML with `fastMode`                            | keep     |
 * | HTML with status 403, 429 or 503                | render   |
 * | HTML that is an empty shell before its scripts  | render   |
 * | other HTML                                      | keep     |
 */
export const wayAfterFetch = (
  request: Pick<ScrapeRequest, 'fastMode'>,
  page: { readonly kind: string; readonly statusCode: number; readonly isShell: boolean },
): Way =>
  page.kind === 'html' && !request.fastMode && (page.isShell || turnedAway.has(page.statusCode)) ? 'render' : 'fetch'
