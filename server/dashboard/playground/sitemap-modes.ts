/** Where a map or crawl finds pages, with the text of each choice. */
export const sitemapModes = { include: 'sitemaps, links', only: 'sitemaps only', skip: 'links only' } as const
