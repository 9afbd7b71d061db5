import type { Kysely } from 'kysely'
import type { ChangeTracking } from '../../../contract/document.ts'
import type { Format } from '../../../contract/formats.ts'
import type { Database } from '../../store/schema.ts'
import { findTrackedPage, saveTrackedPage, type TrackedPageRow } from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { gitDiff } from './git-diff.ts'

/** The state of a page that is compared with its last one. */
export interface TrackedState {
  readonly teamId: string
  readonly trackingKey: string
  readonly markdown: string
  /** With the mode `json`: what was extracted. */
  readonly extracted: unknown
  readonly statusCode: number
}

/** Statuses by which a page says that it is gone. */
export const goneStatuses: ReadonlySet<number> = new Set([404, 410])

/** What became of a page since its last tracked state. */
export interface TrackedChange {
  readonly changeTracking: ChangeTracking
  /** Makes this state the last one: with the scrape that tells of it, for a change that nobody heard of is still to be told. */
  readonly keep: (db: Kysely<Database>) => Promise<void>
}

/** Compares a page with its last tracked state. */
export const trackChanges = async (
  store: Store,
  { modes }: Extract<Format, { type: 'changeTracking' }>,
  state: TrackedState,
): Promise<TrackedChange> => {
  const { teamId, trackingKey, markdown, extracted } = state
  const previous = await findTrackedPage(store.db, teamId, trackingKey)
  const kept = extracted === undefined ? undefined : JSON.stringify(extracted)
  return {
    changeTracking: compare(modes, previous, state),
    keep: async (db) => saveTrackedPage(db, { teamId, trackingKey, markdown, extracted: kept }),
  }
}

const compare = (
  modes: readonly ('git-diff' | 'json')[],
  previous: TrackedPageRow | undefined,
  { markdown, extracted, statusCode }: TrackedState,
): ChangeTracking => {
  const isGone = goneStatuses.has(statusCode)
  const changeStatus =
    previous === undefined ? 'new' : isGone ? 'removed' : isSameText(previous.markdown, markdown) ? 'same' : 'changed'
  const base = {
    previousScrapeAt: previous?.scrapedAt.toISOString() ?? null,
    changeStatus,
    visibility: 'visible',
  } as const
  if (previous === undefined || changeStatus !== 'changed') return base
  return {
    ...base,
    ...(modes.includes('git-diff') && { diff: gitDiff(previous.markdown, markdown) }),
    ...(modes.includes('json') && { json: compareFields(parse(previous.extracted), extracted) }),
  }
}

/** Whether two texts differ in no more than white space. */
export const isSameText = (left: string, right: string): boolean => flat(left) === flat(right)

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

const compareFields = (before: unknown, after: unknown): Record<string, { previous: unknown; current: unknown }> => {
  const left = fieldsOf(before)
  const right = fieldsOf(after)
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]))
      .map((name) => [name, { previous: left[name] ?? null, current: right[name] ?? null }]),
  )
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
