import { paths } from 'bowline/contract/paths'
import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'

/** Snippets that start a job. */
export function firstJob(): Snippets {
  return {
    TypeScript: `${newClient()}
for await (const page of bowline.batchScrape(['https://example.com', 'https://example.org'])) {
  console.log(page.metadata.url, page.markdown?.length)
}`,
    Shell: 'bowline batch https://example.com https://example.org\nbowline crawl https://example.com --limit 50',
    curl: `curl -X POST ${location.origin}${paths.startBatch.path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{ "urls": ["https://example.com", "https://example.org"] }'`,
  }
}
