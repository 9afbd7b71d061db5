/** The groups of the OpenAPI document, in the order in which its page shows them. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Sessions', description: 'Remote browsers, their files and recordings.' },
  { name: 'Profiles', description: 'What browsers store, kept between sessions.' },
  { name: 'Scrape', description: 'One page as Markdown, HTML, a screenshot or data.' },
  { name: 'Batch', description: 'Many pages by their addresses.' },
  { name: 'Crawl', description: 'The pages of a site, by its links.' },
  { name: 'Map', description: 'The addresses of a site.' },
  { name: 'Search', description: 'The web, and what is on the pages found.' },
  { name: 'Extract', description: 'Data of many pages, by a language model.' },
  { name: 'Monitors', description: 'Pages that are checked on a schedule.' },
  { name: 'Webhooks', description: 'Deliveries of events, and their signature.' },
  { name: 'Team', description: 'Keys, usage, limits and activity.' },
  { name: 'Version 1', description: 'The first version of the API.' },
]

const byPath: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/(?!team)/, 'Version 1'],
  [/^\/v2\/browser\/profiles/, 'Profiles'],
  [/^\/v2\/browser/, 'Sessions'],
  [/^\/v2\/scrape/, 'Scrape'],
  [/^\/v2\/batch/, 'Batch'],
  [/^\/v2\/crawl/, 'Crawl'],
  [/^\/v2\/map/, 'Map'],
  [/^\/v2\/search/, 'Search'],
  [/^\/v2\/extract/, 'Extract'],
  [/monitor/, 'Monitors'],
  [/webhook/, 'Webhooks'],
]

/** The group of a path. */
export function tagOf(path: string): string {
  return byPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'Team'
}
