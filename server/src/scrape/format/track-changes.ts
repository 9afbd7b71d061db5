import type { Kysely } from 'kysely'
import type { ChangeTracking } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import type { Database } from '../../store/schema.ts'
import { findTrackedPage, saveTrackedPage, type TrackedPageRow } from '../queries/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { gitDiff, type CompareTexts } from './git-diff.ts'
import { isSameText } from './same-text.ts'

/** Current state of a page, to compare with the previous one. */
export interface TrackedState {
  readonly teamId: string
  readonly trackingKey: string
  /** Key of the same page by earlier versions. */
  readonly formerTrackingKey: string
  readonly markdown: string
  readonly statusCode: number
  /** Extracts data from Markdown, in mode `json`. */
  readonly extract: ((markdown: string) => Promise<unknown>) | undefined
  readonly compareLongTexts: CompareTexts
}

/** Statuses of pages that no longer exist. */
export const goneStatuses: ReadonlySet<number> = new Set([404, 410])

/** Comparison of a page with its previous state. */
export interface TrackedChange {
  readonly changeTracking: ChangeTracking
  readonly warning?: string | undefined
  /**
   * Saves the current state as the previous one, unless the site responded with an error. Called
   * in the transaction of the scrape, so that no change is lost.
   */
  readonly save: (db: Kysely<Database>) => Promise<void>
}

/** Compares a page with its previous state. Throws EXTRACTION_FAILED, or the signal's reason. */
export async function trackChanges(
  store: Store,
  format: Extract<Format, { type: 'changeTracking' }>,
  { teamId, trackingKey, formerTrackingKey, markdown, statusCode, extract, compareLongTexts }: TrackedState,
): Promise<TrackedChange> {
  const previous = await findTrackedPage(store.db, teamId, [trackingKey, formerTrackingKey])
  const base = compare(previous, { markdown, statusCode })
  const isChanged = previous !== undefined && base.changeStatus === 'changed'
  const instructions = JSON.stringify([format.schema, format.prompt])
  const data = await extract?.(markdown)
  const stored = extract && { wish: instructions, data }
  const previousExtraction = extract && isChanged ? await previousData(previous, instructions, extract) : undefined
  const isDiffed = isChanged && format.modes.includes('git-diff')
  const diff = isDiffed ? await gitDiff(previous.markdown, markdown, compareLongTexts) : undefined
  const isError = statusCode >= 400 && !goneStatuses.has(statusCode)
  const warnings = [isError ? errorWarning(statusCode) : undefined, diff?.warning].filter((each) => each !== undefined)
  return {
    warning: warnings.length === 0 ? undefined : warnings.join(' '),
    changeTracking: {
      ...base,
      ...(diff && { diff: { text: diff.text, json: diff.json } }),
      ...(isChanged && extract && { json: compareFields(previousExtraction, data) }),
    },
    save: async (db) => {
      if (!isError) await saveTrackedPage(db, { teamId, trackingKey, markdown, extracted: stored })
    },
  }
}

function errorWarning(statusCode: number): string {
  return `The page responded with status ${statusCode}, so the next scrape is not compared with it, but with the last state before it.`
}

/** Returns the data of the previous state, extracted again if schema or prompt have changed. */
async function previousData(
  { extracted, markdown }: TrackedPageRow,
  instructions: string,
  extract: NonNullable<TrackedState['extract']>,
): Promise<unknown> {
  return extracted?.wish === instructions ? extracted.data : extract(markdown)
}

function compare(
  previous: TrackedPageRow | undefined,
  { markdown, statusCode }: Pick<TrackedState, 'markdown' | 'statusCode'>,
): ChangeTracking {
  const isGone = goneStatuses.has(statusCode)
  const changeStatus =
    previous === undefined ? 'new' : isGone ? 'removed' : isSameText(previous.markdown, markdown) ? 'same' : 'changed'
  return { previousScrapeAt: previous?.scrapedAt.toISOString() ?? null, changeStatus, visibility: 'visible' }
}

function compareFields(before: unknown, after: unknown): Record<string, { previous: unknown; current: unknown }> {
  const left = fieldsOf(before)
  const right = fieldsOf(after)
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]))
      .map((name) => [name, { previous: left[name] ?? null, current: right[name] ?? null }]),
  )
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
