import type { MapRequest } from 'bowline/contract/map'
import { pieces } from './decode.ts'
import { readPageLinks, type PageLinks } from './page-links.ts'

/** A page as it is after its scripts have run, if it shows nothing before; undefined: it is no page. Aborting stops it. */
export type ShowPage = (
  page: Pick<MapRequest, 'url' | 'location' | 'headers'>,
  signal: AbortSignal,
) => Promise<{ readonly url: string; readonly html: string } | undefined>

/** A page with more links than that is read as it came. */
const fewLinks = 2

/** The links of a start page that shows hardly any by itself, as a browser sees it. Undefined: it counts as it came. */
export async function showStart(
  request: MapRequest,
  { links }: PageLinks,
  { showPage, signal }: { readonly showPage: ShowPage | undefined; readonly signal: AbortSignal },
): Promise<{ readonly links: PageLinks; readonly url: URL } | undefined> {
  if (showPage === undefined || request.sitemap === 'only' || links.length > fewLinks) return undefined
  try {
    const shown = await showPage(request, signal)
    if (shown === undefined) return undefined
    const url = new URL(shown.url)
    return { links: await readPageLinks(pieces(shown.html), url), url }
  } catch {
    return undefined
  }
}
