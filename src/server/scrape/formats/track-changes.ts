import type { ChangeTracking } from '../../../contract/document.ts'
import type { Format } from '../../../contract/formats.ts'
import { findTrackedPage, saveTrackedPage } from '../../store/scrapes.ts'
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

/** Compares a page with its last tracked state, and makes this one the last. */
export const trackChanges = async (
  store: Store,
  { modes }: Extract<Format, { type: 'changeTracking' }>,
  state: TrackedState,
): Promise<ChangeTracking> => {
  const { teamId, trackingKey, markdown, extracted } = state
  const previous = await findTrackedPage(store.db, teamId, trackingKey)
  const kept = extracted === undefined ? undefined : JSON.stringify(extracted)
  await saveTrackedPage(store.db, { teamId, trackingKey, markdown, extracted: kept })
  const isGone = goneStatuses.has(state.statusCode)
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
