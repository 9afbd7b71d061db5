import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { raiseReservation } from '../store/check-bills.ts'
import type { CheckRow } from '../store/monitor-checks.ts'
import { listDonePages, recordPage } from '../store/monitor-pages.ts'
import type { MonitorRow } from '../store/monitors.ts'
import { checkPage, hashUrl, type CheckedPage } from './check-page.ts'
import { checkResult, findResults } from './check-search.ts'
import type { CheckMatching } from './check-matching.ts'
import type { KnownTarget } from './definition.ts'
import { listUrls } from './list-urls.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { tellPage } from './notify.ts'

/** A check at work. */
export interface Run {
  readonly deps: MonitorDeps
  readonly check: CheckRow
  readonly monitor: MonitorRow
  /** Aborts when the server stops, the lease is lost or the monitor is deleted. */
  readonly signal: AbortSignal
  /** What the expressions of its targets are matched with. */
  readonly matching: CheckMatching
}

/** What became of a target. */
export interface TargetResult {
  readonly targetId: string
  readonly type: KnownTarget['type']
  readonly pages: number
  /** Results of searches, and those that a language model found to matter. */
  readonly resultCount?: number
  readonly matches?: number
  readonly searchCredits?: number
  /** Why the target could not be checked. */
  readonly error?: string
}

const pagesAtOnce = 4

/** Checks the pages of a target that were not checked before. A target that cannot be checked has its error in the answer. Throws CONFLICT when the lease is lost, or the signal's reason. */
export async function checkTarget(run: Run, target: KnownTarget): Promise<TargetResult> {
  const { id: targetId, type } = target
  try {
    return target.type === 'search' ? await checkSearch(run, target) : await checkPages(run, target)
  } catch (error) {
    run.signal.throwIfAborted()
    if (!isBowlineError(error) || error.code === 'CONFLICT') throw error
    return { targetId, type, pages: 0, error: `${error.code}: ${error.message}` }
  }
}

async function checkPages(run: Run, target: Exclude<KnownTarget, { readonly type: 'search' }>): Promise<TargetResult> {
  const { deps, check, monitor, signal, matching } = run
  const { id: targetId, type } = target
  const urls = await listUrls(target, { ...deps, monitorId: monitor.id, targetId, signal, matching })
  await forEachNew(run, targetId, urls, async (url) => checkPage(deps, { check, monitor, target, url, signal }))
  return { targetId, type, pages: urls.length }
}

async function checkSearch(run: Run, target: Extract<KnownTarget, { readonly type: 'search' }>): Promise<TargetResult> {
  const { deps, check, monitor, signal } = run
  const { id: targetId, type } = target
  const { results, credits: searchCredits } = await findResults(deps, { target, monitor, signal })
  let matches = 0
  await forEachNew(run, targetId, [...results.keys()], async (url) => {
    const result = results.get(url) ?? { url, title: '', description: '' }
    const checked = await checkResult(deps, { check, monitor, targetId, result, signal })
    if (checked.isMatch) matches += 1
    return checked
  })
  return { targetId, type, pages: results.size, resultCount: results.size, matches, searchCredits }
}

/** Does the work for each address that this check has not entered, a few at a time, and enters what it came to. */
async function forEachNew(
  run: Run,
  targetId: string,
  urls: readonly string[],
  work: (url: string) => Promise<CheckedPage>,
): Promise<void> {
  const { deps, check, signal } = run
  const done = await listDonePages(deps.store.db, { checkId: check.id, targetId })
  const rest = urls.filter((url) => !done.has(hashUrl(url))).values()
  const one = async (): Promise<void> => {
    // All of them take from the same list.
    for (const url of rest) {
      signal.throwIfAborted()
      await enter(run, await work(url))
    }
  }
  await Promise.all(Array.from({ length: pagesAtOnce }, one))
}

/** Enters a page and tells of it. One that costs more than the team has is an error, and costs nothing. */
async function enter(run: Run, checked: CheckedPage): Promise<void> {
  const { deps, check, monitor, signal } = run
  const { page, state, extraCredits: credits } = checked
  signal.throwIfAborted()
  try {
    await deps.store.db.transaction().execute(async (db) => {
      if (!(await recordPage(db, check, page, state))) {
        throw new BowlineError('CONFLICT', 'Another server does this check')
      }
      if (credits > 0 && !(await raiseReservation(db, { ...check, credits }))) {
        throw new BowlineError(
          'INSUFFICIENT_CREDITS',
          `${page.url} costs ${page.credits} credits, and the team has less`,
        )
      }
      await tellPage(deps, monitor, page, db)
    })
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'INSUFFICIENT_CREDITS') throw error
    await enter(run, unpaid(page, error))
  }
}

function unpaid(page: CheckedPage['page'], { code, message }: BowlineError): CheckedPage {
  const none = { currentScrapeId: undefined, judgment: undefined, diff: undefined, snapshot: undefined }
  return {
    page: { ...page, ...none, status: 'error', error: `${code}: ${message}`, credits: 0 },
    state: undefined,
    extraCredits: 0,
  }
}
