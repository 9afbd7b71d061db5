import type { z } from 'zod'
import type { MapRequest, MapRequestV1, mapResponse, mapResponseV1 } from 'bowline/contract/map'

/** Translates between `POST /v1/map` and `POST /v2/map`. */
export const v1Map = {
  request: ({ ignoreSitemap, sitemapOnly, ...rest }: MapRequestV1): MapRequest => ({
    ...rest,
    sitemap: sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : 'include',
  }),
  response: ({ links }: z.input<typeof mapResponse>): z.input<typeof mapResponseV1> => ({
    success: true,
    links: links.map(({ url }) => url),
  }),
}
