import type { MapRequest } from 'bowline/contract/map'
import { chunksOf } from './decode.ts'
import { readPageLinks, type PageLinks } from './page-links.ts'

/**
 * Renders a page and returns its HTML after its scripts have run. Resolves to `undefined` if it is
 * not an HTML page. Aborting stops it.
 */
export type RenderPage = (
  page: Pick<MapRequest, 'url' | 'location' | 'headers' | 'allowedDomains'>,
  signal: AbortSignal,
) => Promise<{ readonly url: string; readonly html: string } | undefined>

/** A start page with more links than this is not rendered. */
const maxLinksToRender = 2

/**
 * Renders a start page with very few links in a browser and reads its links. Returns `undefined` if
 * the fetched page should be used instead.
 */
export async function renderStartPage(
  request: MapRequest,
  { links }: PageLinks,
  { renderPage, signal }: { readonly renderPage: RenderPage | undefined; readonly signal: AbortSignal },
): Promise<{ readonly links: PageLinks; readonly url: URL } | undefined> {
  if (renderPage === undefined || request.sitemap === 'only' || links.length > maxLinksToRender) return undefined
  try {
    const rendered = await renderPage(request, signal)
    if (rendered === undefined) return undefined
    const url = new URL(rendered.url)
    return { links: await readPageLinks(chunksOf(rendered.html), url), url }
  } catch {
    // Use the links of the fetched page instead.
    return undefined
  }
}
