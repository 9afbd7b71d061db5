import type { RateBucket } from 'bowline/contract/rate-limits'

type Rule = readonly [methods: RegExp, path: RegExp, bucket: RateBucket]

/** The first matching rule applies. Paths are without `/v1` and `/v2`. */
const rules: readonly Rule[] = [
  [/POST/, /^(scrape|batch\/scrape)$/, 'scrape'],
  [/POST/, /^map$/, 'map'],
  [/POST/, /^search$/, 'search'],
  [/POST/, /^crawl$/, 'crawl'],
  [/POST|PATCH/, /^monitor(\/[^/]+(\/run)?)?$/, 'crawl'],
  [/POST/, /^(extract|agent)$/, 'extract'],
  [/GET|DELETE/, /^(extract|agent)\//, 'extractStatus'],
  [/./, /^(scrape|batch\/scrape|crawl|monitor)(\/|$)/, 'crawlStatus'],
  [/POST/, /^(browser|interact)$/, 'browser'],
  [/GET/, /^(browser|interact)\/[^/]+\/(replay|recordings)/, 'replay'],
  [/./, /^(browser|interact)(\/|$)/, 'browserUse'],
]

/** Returns the rate limit bucket of a route. */
export function rateBucketOf(method: string, path: string): RateBucket {
  const rest = path.replace(/^\/v\d+\//, '')
  return rules.find(([methods, paths]) => methods.test(method) && paths.test(rest))?.[2] ?? 'account'
}
