import type { RequestKind } from 'bowline/contract/rate-limits'

type Rule = readonly [methods: RegExp, path: RegExp, kind: RequestKind]

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

/** Returns the kind of a request, by which its rate limit is chosen. */
export function requestKindOf(method: string, path: string): RequestKind {
  const rest = path.replace(/^\/v\d+\//, '')
  return rules.find(([methods, paths]) => methods.test(method) && paths.test(rest))?.[2] ?? 'account'
}
