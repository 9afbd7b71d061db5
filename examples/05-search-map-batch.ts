// From words and a site to the pages of both: what a search finds and what the site has, each once, scraped as one batch.
// node examples/05-search-map-batch.ts WORDS SITE, with BOWLINE_BASE_URL and BOWLINE_API_KEY as 01 needs them.
import { Bowline, seeds } from 'bowline'

const [search = 'example', map = 'https://example.com'] = process.argv.slice(2)
const bowline = new Bowline()

const urls = seeds(bowline, { search, map, exclude: /\.(?:png|zip)$/, limit: 5 })
console.log(`At most ${urls.estimate().total} credits`)

for await (const { markdown = '', metadata } of bowline.batchScrape(urls)) {
  console.log(`${metadata.statusCode} ${metadata.sourceURL}: ${markdown.length} characters`)
}
