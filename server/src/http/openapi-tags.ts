import type { RouteTag } from 'bowline/contract/route'

/** Tags of the OpenAPI document, in the order of the documentation page. */
export const tags: readonly { readonly name: RouteTag; readonly description: string }[] = [
  { name: 'Sessions', description: 'Remote browsers, their files and recordings.' },
  { name: 'Extensions', description: 'Browser extensions that sessions can load.' },
  { name: 'Secrets', description: 'Passwords and one-time passwords that sessions type by name.' },
  { name: 'Profiles', description: 'Browser storage that is kept between sessions.' },
  { name: 'Scrape', description: 'One page as Markdown, HTML, a screenshot or data.' },
  { name: 'Batch', description: 'Many pages by URL.' },
  { name: 'Crawl', description: 'The pages of a site, found by following links.' },
  { name: 'Map', description: 'The URLs of a site.' },
  { name: 'Search', description: 'Web search, with the content of the pages found.' },
  { name: 'Agent', description: 'Tasks for a language model that searches, scrapes and uses a browser.' },
  { name: 'Extract', description: 'Structured data from many pages, by a language model.' },
  { name: 'Monitors', description: 'Scheduled checks of pages for changes.' },
  { name: 'Webhooks', description: 'Event deliveries and their signatures.' },
  { name: 'Team', description: 'Keys, usage, limits, activity and the audit log.' },
  { name: 'Version 1', description: 'The first version of the API.' },
]
