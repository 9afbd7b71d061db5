import { createHash } from 'node:crypto'
import type { Judgment } from 'bowline/contract/monitor-checks'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { ScrapeOutcome } from '../scrape/scrapes.ts'
import type { CheckRow } from '../store/monitor-checks.ts'
import { findState, type PageRow, type PageState } from '../store/monitor-pages.ts'
import type { MonitorRow } from '../store/monitors.ts'
import { comparePage, type Comparison } from './compare-page.ts'
import type { KnownTarget } from './definition.ts'
import { judgeChange } from './judge-change.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { pageRequest, type PageRequest } from './page-request.ts'

/** One page of a check. */
export interface PageTask {
  readonly check: CheckRow
  readonly monitor: MonitorRow
  readonly target: Exclude<KnownTarget, { readonly type: 'search' }>
  readonly url: string
  readonly signal: AbortSignal
}

/** What is to be entered of a page: `state` undefined leaves its last state. */
export interface CheckedPage {
  readonly page: Omit<PageRow, 'createdAt'>
  readonly state: Omit<PageState, 'checkedAt'> | undefined
  /** Credits above those that were set aside for the page when the check began. */
  readonly extraCredits: number
}

/** Tells the pages of a target apart. */
export function hashUrl(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

/** What a judgment costs, in credits. */
export const judgmentCredits = 1

/** Scrapes a page and compares it with its last state. A page that cannot be scraped is an error and costs nothing. Rejects only with the signal's reason, and when the store fails. */
export async function checkPage(deps: MonitorDeps, task: PageTask): Promise<CheckedPage> {
  const { check, monitor, target, url } = task
  const key = { monitorId: monitor.id, targetId: target.id, urlHash: hashUrl(url) }
  const state = await findState(deps.store.db, key)
  const wanted = pageRequest(target, url)
  const scraped = await scrape(deps, task, wanted)
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
    }
  }
  const { document, id: scrapeId } = scraped
  const compared = comparePage(document, state, wanted)
  const judged = await judge(deps, task, compared)
  const extracted = wanted.comparesJson ? JSON.stringify(document.json ?? null) : undefined
  const page = {
    ...base,
    status: compared.status,
    currentScrapeId: scrapeId,
    statusCode: document.metadata.statusCode,
    error: compared.error,
    credits: scraped.credits + (judged === undefined ? 0 : judgmentCredits),
    judgment: judged === undefined ? undefined : JSON.stringify(judged),
    diff: compared.diff === undefined ? undefined : JSON.stringify(compared.diff),
    snapshot: extracted === undefined ? undefined : `{"json":${extracted}}`,
  }
  // A PDF has as many pages as it has, and nobody knows beforehand what will be judged.
  const extraCredits = Math.max(0, page.credits - deps.scrapes.estimate(wanted.request))
  const last = { ...key, url, markdown: state?.markdown ?? '', extracted: state?.extracted, scrapeId }
  switch (compared.status) {
    case 'error':
      return { page, state: undefined, extraCredits }
    case 'removed':
      return { page, state: { ...last, isGone: true }, extraCredits }
    case 'same':
    case 'new':
    case 'changed':
      if (compared.status === 'same' && state?.isGone === true) return { page, state: undefined, extraCredits }
      return { page, state: { ...last, markdown: document.markdown ?? '', extracted, isGone: false }, extraCredits }
    default:
      return compared.status satisfies never
  }
}

/** Failures that are no fault of the page: it gets a second try. */
const ownFailures: ReadonlySet<string> = new Set(['CDP_FAILED', 'BROWSER_START_FAILED', 'UNKNOWN_ERROR'])

async function scrape(
  { scrapes, onError }: MonitorDeps,
  { monitor, url, signal }: PageTask,
  { request }: PageRequest,
): Promise<ScrapeOutcome | { readonly error: string }> {
  const { teamId, apiKeyId, baseUrl } = monitor
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await scrapes.scrape({ request, teamId, apiKeyId, baseUrl, signal, isPrepaid: true })
    } catch (error) {
      signal.throwIfAborted()
      const isOwn = !isBowlineError(error) || ownFailures.has(error.code)
      if (isOwn && attempt === 1) continue
      if (!isBowlineError(error)) onError(error, `scraping a page of the monitor ${monitor.id}`)
      return { error: isBowlineError(error) ? `${error.code}: ${error.message}` : `${url} could not be scraped` }
    }
  }
}

/** A change whose judgment fails is told without one. */
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
