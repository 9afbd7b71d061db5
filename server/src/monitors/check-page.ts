import type { Judgment } from 'bowline/contract/monitor-checks'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { sha256 } from 'bowline/kit/sha256'
import type { PricedScrape } from '../scrape/priced-scrape.ts'
import { scrapeInSlot } from '../scrape/scrape-in-slot.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { CheckRow } from './queries/checks.ts'
import { findState, type PageRow, type ViewerPageState } from './queries/pages.ts'
import type { MonitorRow } from './queries/monitors.ts'
import { comparePage, type Comparison } from './compare-page.ts'
import type { StoredTarget } from './definition.ts'
import { judgeChange } from './judge-change.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { pageScrapeSpec, type PageScrapeSpec } from './page-scrape-spec.ts'

/** A page to check. */
export interface PageTask {
  readonly check: CheckRow
  readonly monitor: MonitorRow
  readonly target: Exclude<StoredTarget, { readonly type: 'search' }>
  readonly url: string
  readonly signal: AbortSignal
}

/**
 * The outcome of a checked page, to be stored. If `state` is `undefined`, the last state of the
 * page is kept.
 */
export interface CheckedPage {
  readonly page: Omit<PageRow, 'createdAt'>
  readonly state: Omit<ViewerPageState, 'checkedAt'> | undefined
  /** Credits beyond those that the check reserved for the page. */
  readonly extraCredits: number
  /** The scrape of the page, to be stored with it. `undefined` if there is none, or it failed. */
  readonly scrape: PricedScrape | undefined
}

/** Returns the key of a page within its target. */
export function hashUrl(url: string): string {
  return sha256(url).toString('hex')
}

/** Price of a judgment in credits. */
export const judgmentCredits = 1

/**
 * Scrapes a page and compares it with its last state. A failed scrape yields status `error` and
 * costs nothing. Rejects only with the signal's reason, or if the store fails.
 */
export async function checkPage(deps: MonitorDeps, task: PageTask): Promise<CheckedPage> {
  const { check, monitor, target, url } = task
  const key = { monitorId: monitor.id, targetId: target.id, urlHash: hashUrl(url) }
  const state = await findState(deps.store.db, key)
  const scrapeSpec = pageScrapeSpec(target, url)
  const scraped = await scrapePage(deps, task, scrapeSpec)
  const base = {
    id: uuidV7(),
    checkId: check.id,
    targetId: target.id,
    urlHash: key.urlHash,
    url,
    previousScrapeId: state?.scrapeId,
  }
  if ('error' in scraped) {
    const none = { currentScrapeId: undefined, statusCode: undefined, judgment: undefined, diff: undefined }
    return {
      page: { ...base, ...none, snapshot: undefined, status: 'error', credits: 0, ...scraped },
      state: undefined,
      extraCredits: 0,
      scrape: undefined,
    }
  }
  await using undo = new AsyncDisposableStack()
  undo.use(scraped)
  const { document, id: scrapeId } = scraped
  const compareLongTexts = async (before: string, after: string) =>
    deps.scrapes.compareTexts(before, after, { signal: task.signal })
  const compared = await comparePage(document, state, { ...scrapeSpec, compareLongTexts })
  const judged = await judge(deps, task, compared)
  const extracted = scrapeSpec.comparesJson ? (document.json ?? null) : undefined
  const page = {
    ...base,
    status: compared.status,
    currentScrapeId: scrapeId,
    statusCode: document.metadata.statusCode,
    error: compared.error,
    credits: scraped.credits + (judged === undefined ? 0 : judgmentCredits),
    judgment: judged,
    diff: compared.diff,
    snapshot: extracted === undefined ? undefined : { json: extracted },
  }
  // The number of pages of a PDF, and whether a change is judged, are unknown at the reservation.
  const extraCredits = Math.max(0, page.credits - deps.scrapes.estimate(scrapeSpec.request))
  const last = { ...key, url, markdown: state?.markdown ?? '', extracted: state?.extracted, scrapeId }
  const checked = { page, extraCredits, scrape: scraped }
  undo.move()
  switch (compared.status) {
    case 'error':
      return { ...checked, state: undefined }
    case 'removed':
      return { ...checked, state: { ...last, isGone: true } }
    case 'same':
    case 'new':
    case 'changed':
      if (compared.status === 'same' && state?.isGone === true) return { ...checked, state: undefined }
      return { ...checked, state: { ...last, markdown: document.markdown ?? '', extracted, isGone: false } }
    default:
      return compared.status satisfies never
  }
}

/** Failures of the server. The page is retried once. */
const serverErrors: ReadonlySet<string> = new Set(['CDP_FAILED', 'BROWSER_START_FAILED', 'UNKNOWN_ERROR'])

async function scrapePage(
  deps: MonitorDeps,
  { monitor, url, signal }: PageTask,
  { request }: PageScrapeSpec,
): Promise<PricedScrape | { readonly error: string }> {
  const { teamId, apiKeyId, baseUrl } = monitor
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await scrapeInSlot(deps, { request, teamId, apiKeyId, baseUrl, signal })
    } catch (error) {
      signal.throwIfAborted()
      // An outage of the database is not a failure of the page. The check continues after it.
      if (isStoreUnavailable(error)) throw error
      const isServerError = !isBowlineError(error) || serverErrors.has(error.code)
      if (isServerError && attempt === 1) continue
      if (!isBowlineError(error)) deps.onError(error, `scraping a page of the monitor ${monitor.id}`)
      return { error: isBowlineError(error) ? `${error.code}: ${error.message}` : `${url} could not be scraped` }
    }
  }
}

/** Judges a change. If that fails, the change is reported without a judgment. */
async function judge(
  { languageModel, onError }: MonitorDeps,
  { monitor, url, signal }: PageTask,
  { diff }: Comparison,
): Promise<Judgment | undefined> {
  if (languageModel === undefined || !monitor.judgeEnabled || diff === undefined) return undefined
  try {
    return await judgeChange(languageModel, { goal: monitor.goal, url, diff }, { signal })
  } catch (error) {
    signal.throwIfAborted()
    onError(error, `judging a change for the monitor ${monitor.id}`)
    return undefined
  }
}
