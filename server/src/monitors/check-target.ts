import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { CheckRow } from './queries/checks.ts'
import { listDonePages, recordPage } from './queries/pages.ts'
import type { MonitorRow } from './queries/monitors.ts'
import { raiseCheck } from './check-account.ts'
import { checkPage, hashUrl, type CheckedPage } from './check-page.ts'
import { checkResult, findResults } from './check-search.ts'
import type { CheckPatternMatcher } from './check-pattern-matcher.ts'
import type { StoredTarget } from './definition.ts'
import { listUrls } from './list-urls.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { sendPageEvent } from './send-webhooks.ts'

/** A running check. */
export interface CheckContext {
  readonly deps: MonitorDeps
  readonly check: CheckRow
  readonly monitor: MonitorRow
  /** Aborts if the server stops, the lease is lost or the monitor is deleted. */
  readonly signal: AbortSignal
  /** Matches the regular expressions of the targets. */
  readonly matcher: CheckPatternMatcher
}

/** The outcome of a target. */
export interface TargetResult {
  readonly targetId: string
  readonly type: StoredTarget['type']
  readonly pages: number
  /** Number of search results, and of those that a language model judged meaningful. */
  readonly resultCount?: number
  readonly matches?: number
  readonly searchCredits?: number
  /**
   * Names omitted data, such as the rest of a robots.txt that is too long, and limits of searches.
   */
  readonly warning?: string
  /** Why the target could not be checked, if it failed. */
  readonly error?: string
}

const pagesAtOnce = 4

/**
 * Checks the pages of a target, except those this check has already stored. If the target cannot be
 * checked, its result contains the error. Throws CONFLICT if the lease is lost, STORE_UNAVAILABLE,
 * or the signal's reason.
 */
export async function checkTarget(run: CheckContext, target: StoredTarget): Promise<TargetResult> {
  const { id: targetId, type } = target
  try {
    return target.type === 'search' ? await checkSearch(run, target) : await checkPages(run, target)
  } catch (error) {
    run.signal.throwIfAborted()
    if (!isBowlineError(error) || error.code === 'CONFLICT' || isStoreUnavailable(error)) throw error
    return { targetId, type, pages: 0, error: `${error.code}: ${error.message}` }
  }
}

async function checkPages(
  run: CheckContext,
  target: Exclude<StoredTarget, { readonly type: 'search' }>,
): Promise<TargetResult> {
  const { deps, check, monitor, signal, matcher } = run
  const { id: targetId, type } = target
  const { urls, warnings } = await listUrls(target, { ...deps, monitorId: monitor.id, targetId, signal, matcher })
  await checkNewUrls(run, targetId, urls, async (url) => checkPage(deps, { check, monitor, target, url, signal }))
  return { targetId, type, pages: urls.length, ...warningOf(warnings) }
}

function warningOf(warnings: readonly string[]): Pick<TargetResult, 'warning'> {
  return warnings.length === 0 ? {} : { warning: warnings.join(' ') }
}

async function checkSearch(
  run: CheckContext,
  target: Extract<StoredTarget, { readonly type: 'search' }>,
): Promise<TargetResult> {
  const { deps, check, monitor, signal } = run
  const { id: targetId, type } = target
  const { results, warnings, credits: searchCredits } = await findResults(deps, { target, monitor, signal })
  let matches = 0
  await checkNewUrls(run, targetId, [...results.keys()], async (url) => {
    const result = results.get(url) ?? { url, title: '', description: '' }
    const checked = await checkResult(deps, { check, monitor, targetId, result, signal })
    if (checked.isMatch) matches += 1
    return checked
  })
  const counts = { pages: results.size, resultCount: results.size, matches, searchCredits }
  return { targetId, type, ...counts, ...warningOf(warnings) }
}

/** Checks and stores each URL that this check has not stored yet, a few at a time. */
async function checkNewUrls(
  run: CheckContext,
  targetId: string,
  urls: readonly string[],
  work: (url: string) => Promise<CheckedPage>,
): Promise<void> {
  const { deps, check, signal } = run
  const done = await listDonePages(deps.store.db, { checkId: check.id, targetId })
  const rest = urls.filter((url) => !done.has(hashUrl(url))).values()
  const runWorker = async (): Promise<void> => {
    // All workers share the iterator.
    for (const url of rest) {
      signal.throwIfAborted()
      await savePage(run, await work(url))
    }
  }
  await Promise.all(Array.from({ length: pagesAtOnce }, runWorker))
}

/**
 * Stores a page with its scrape and sends its notification. A page that costs more than the team
 * has left is stored as an error and costs nothing.
 */
async function savePage(run: CheckContext, checked: CheckedPage): Promise<void> {
  const { deps, check, monitor, signal } = run
  const { page, state, extraCredits: credits } = checked
  await using scrape = checked.scrape
  signal.throwIfAborted()
  try {
    await deps.store.db.transaction().execute(async (db) => {
      if (!(await recordPage(db, check, page, state))) {
        throw new BowlineError('CONFLICT', 'Another server runs this check')
      }
      await scrape?.save(db)
      await sendPageEvent(deps, monitor, page, db)
      if (credits > 0 && !(await raiseCheck(db, { id: check.id, credits }))) {
        throw new BowlineError(
          'INSUFFICIENT_CREDITS',
          `${page.url} costs ${page.credits} credits, but the team has fewer left`,
        )
      }
    })
    scrape?.markSaved()
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'INSUFFICIENT_CREDITS') throw error
    await savePage(run, withoutCredits(page, error))
  }
}

function withoutCredits(page: CheckedPage['page'], { code, message }: BowlineError): CheckedPage {
  const none = { currentScrapeId: undefined, judgment: undefined, diff: undefined, snapshot: undefined }
  return {
    page: { ...page, ...none, status: 'error', error: `${code}: ${message}`, credits: 0 },
    state: undefined,
    extraCredits: 0,
    scrape: undefined,
  }
}
