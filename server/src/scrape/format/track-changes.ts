import type { Kysely } from 'kysely'
import type { ChangeTracking } from 'bowline/contract/document'
import type { Format } from 'bowline/contract/formats'
import type { Database } from '../../store/schema.ts'
import { findTrackedPage, saveTrackedPage, type TrackedPageRow } from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { gitDiff } from './git-diff.ts'

/** The state of a page that is compared with its last one. */
export interface TrackedState {
  readonly teamId: string
  readonly trackingKey: string
  readonly markdown: string
  readonly statusCode: number
  /** With the mode `json`: extracts data from Markdown. */
  readonly extract: ((markdown: string) => Promise<unknown>) | undefined
}

/** What is stored of an extraction. */
interface StoredExtraction {
  /** Tells what was asked for: data that were extracted by another schema or prompt cannot be compared. */
  readonly wish: string
  readonly data: unknown
}

/** Statuses by which a page says that it is gone. */
export const goneStatuses: ReadonlySet<number> = new Set([404, 410])

/** What became of a page since its last tracked state. */
export interface TrackedChange {
  readonly changeTracking: ChangeTracking
  readonly warning?: string | undefined
  /** Makes this state the last one: with the scrape that tells of it, for a change that nobody heard of is still to be told. */
  readonly keep: (db: Kysely<Database>) => Promise<void>
}

/** Compares a page with its last tracked state. Throws EXTRACTION_FAILED, or the signal's reason. */
export async function trackChanges(
  store: Store,
  format: Extract<Format, { type: 'changeTracking' }>,
  { teamId, trackingKey, markdown, statusCode, extract }: TrackedState,
): Promise<TrackedChange> {
  const previous = await findTrackedPage(store.db, teamId, trackingKey)
  const base = compare(previous, { markdown, statusCode })
  const isChanged = previous !== undefined && base.changeStatus === 'changed'
  const wish = JSON.stringify([format.schema, format.prompt])
  const data = await extract?.(markdown)
  const stored = extract && JSON.stringify({ wish, data } satisfies StoredExtraction)
  const former = extract && isChanged ? await formerData(previous, wish, extract) : undefined
  const isDiffed = isChanged && format.modes.includes('git-diff')
  const compared = isDiffed ? gitDiff(previous.markdown, markdown) : undefined
  return {
    warning: compared?.warning,
    changeTracking: {
      ...base,
      ...(compared && { diff: { text: compared.text, json: compared.json } }),
      ...(isChanged && extract && { json: compareFields(former, data) }),
    },
    keep: async (db) => saveTrackedPage(db, { teamId, trackingKey, markdown, extracted: stored }),
  }
}

/** The data of the last state: as stored, or from its Markdown when none were extracted or others were asked for. */
async function formerData(
  { extracted, markdown }: TrackedPageRow,
  wish: string,
  extract: NonNullable<TrackedState['extract']>,
): Promise<unknown> {
  const stored = extracted === undefined ? undefined : (JSON.parse(extracted) as Partial<StoredExtraction>)
  return stored?.wish === wish ? stored.data : extract(markdown)
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

/** Whether two texts differ in no more than white space. */
export function isSameText(left: string, right: string): boolean {
  return flat(left) === flat(right)
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
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
