// Scrapes the results of a search and the pages of a site as one batch, without duplicates.
// node examples/05-search-map-batch.ts WORDS SITE
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
import { Bowline, seeds } from 'bowline'

const [search = 'example', map = 'https://example.com'] = process.argv.slice(2)
const bowline = new Bowline()

const urls = seeds(bowline, { search, map, exclude: /\.(?:png|zip)$/, limit: 5 })
console.log(`At most ${urls.estimate().total} credits`)

for await (const { markdown = '', metadata } of bowline.batchScrape(urls)) {
  console.log(`${metadata.statusCode} ${metadata.sourceURL}: ${markdown.length} characters`)
}
