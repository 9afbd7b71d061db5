import type { SearchTarget } from 'bowline/contract/monitors'
import { searchRequest } from 'bowline/contract/search'
import { uuidV7 } from 'bowline/kit/ids'
import type { Result } from '../search/provider.ts'
import type { CheckRow } from './queries/checks.ts'
import { distinctQueries } from './distinct-queries.ts'
import { findState } from './queries/pages.ts'
import type { MonitorRow } from './queries/monitors.ts'
import { hashUrl, judgmentCredits, type CheckedPage } from './check-page.ts'
import { judgeResult } from './judge-change.ts'
import type { MonitorDeps } from './monitor-deps.ts'

/**
 * Time filters for the search windows of targets: the next longer one that search providers
 * support.
 */
const spans = { '5m': 'qdr:h', '15m': 'qdr:h', '1h': 'qdr:h', '6h': 'qdr:d', '24h': 'qdr:d', '7d': 'qdr:w' } as const

/**
 * Runs the searches of a target. Returns the results without duplicates, the warnings, and the
 * credits of the searches. Throws SEARCH_FAILED, BAD_REQUEST or the signal's reason.
 */
export async function findResults(
  { searches }: MonitorDeps,
  search: { readonly target: SearchTarget; readonly monitor: MonitorRow; readonly signal: AbortSignal },
): Promise<{
  readonly results: ReadonlyMap<string, Result>
  readonly warnings: readonly string[]
  readonly credits: number
}> {
  const { target, monitor, signal } = search
  const { teamId, apiKeyId } = monitor
  const results = new Map<string, Result>()
  const warnings = new Set<string>()
  let credits = 0
  for (const query of distinctQueries(target.queries)) {
    const request = searchRequest.parse({
      query,
      limit: target.maxResults,
      tbs: spans[target.searchWindow],
      includeDomains: target.includeDomains,
      excludeDomains: target.excludeDomains,
    })
    const found = await searches.searchUnbilled({ teamId, apiKeyId, request }, signal)
    credits += found.credits
    for (const warning of found.warnings) warnings.add(warning)
    for (const result of found.results.get('web') ?? []) results.set(result.url, result)
  }
  return { results, warnings: [...warnings], credits }
}

/** A search result to check. */
interface ResultTask {
  readonly check: CheckRow
  readonly monitor: MonitorRow
  readonly targetId: string
  readonly result: Result
  readonly signal: AbortSignal
}

/**
 * Checks whether a result is new, and has a language model judge it if so. Known results get status
 * `same`.
 */
export async function checkResult(
  deps: MonitorDeps,
  { check, monitor, targetId, result, signal }: ResultTask,
): Promise<CheckedPage & { readonly isMatch: boolean }> {
  const { languageModel, store, onError } = deps
  const { url, title, description } = result
  const key = { monitorId: monitor.id, targetId, urlHash: hashUrl(url) }
  const isKnown = (await findState(store.db, key)) !== undefined
  const judged =
    isKnown || languageModel === undefined || !monitor.judgeEnabled
      ? undefined
      : await judgeResult(languageModel, { goal: monitor.goal, result }, { signal }).catch((error: unknown) => {
          signal.throwIfAborted()
          onError(error, `judging a result for the monitor ${monitor.id}`)
          return undefined
        })
  const nothing = { previousScrapeId: undefined, currentScrapeId: undefined, statusCode: undefined, error: undefined }
  return {
    isMatch: judged?.meaningful === true,
    // The reservation covers a judgment for every result.
    extraCredits: 0,
    scrape: undefined,
    page: {
      ...nothing,
      id: uuidV7(),
      checkId: check.id,
      targetId,
      urlHash: key.urlHash,
      url,
      status: isKnown ? 'same' : 'new',
      credits: judged === undefined ? 0 : judgmentCredits,
      judgment: judged,
      diff: undefined,
      snapshot: { json: { title, description } },
    },
    state: isKnown
      ? undefined
      : {
          ...key,
          url,
          markdown: `${title}\n\n${description}`,
          extracted: undefined,
          scrapeId: undefined,
          isGone: false,
        },
  }
}
