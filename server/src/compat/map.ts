import type { z } from 'zod'
import type { MapRequest, MapRequestV1, mapResponse, mapResponseV1 } from 'bowline/contract/map'

/** `POST /v1/map` in terms of `POST /v2/map`, there and back. */
export const mapV1 = {
  request: ({ ignoreSitemap, sitemapOnly, ...rest }: MapRequestV1): MapRequest => ({
    ...rest,
    sitemap: sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : 'include',
  }),
  response: ({ links }: z.input<typeof mapResponse>): z.input<typeof mapResponseV1> => ({
    success: true,
    links: links.map(({ url }) => url),
  }),
}
