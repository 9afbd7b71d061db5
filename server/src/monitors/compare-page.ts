import type { Document } from 'bowline/contract/document'
import type { PageDiff, PageStatus } from 'bowline/contract/monitor-checks'
import { gitDiff } from '../scrape/format/git-diff.ts'
import { goneStatuses, isSameText } from '../scrape/format/track-changes.ts'
import type { PageState } from '../store/monitor-pages.ts'
import { diffJson } from './json-diff.ts'
import type { PageRequest } from './page-request.ts'

/** What became of a page since its last state. */
export interface Comparison {
  readonly status: PageStatus
  readonly diff?: PageDiff | undefined
  readonly error?: string | undefined
}

/** Compares a page with its last state; undefined: there is none. A page that answers an error is neither changed nor gone, except with 404 and 410. */
export function comparePage(
  document: Document,
  state: PageState | undefined,
  how: Pick<PageRequest, 'comparesJson' | 'comparesText'>,
): Comparison {
  const { statusCode = 200 } = document.metadata
  const isGone = goneStatuses.has(statusCode)
  if (isGone && state !== undefined) return { status: state.isGone ? 'same' : 'removed' }
  if (statusCode >= 400) return { status: 'error', error: `The page answered ${statusCode}` }
  if (state === undefined || state.isGone) return { status: 'new' }
  // Data that are extracted for the first time have nothing to be compared with.
  const { extracted } = state
  const json = how.comparesJson && extracted !== undefined ? diffJson(JSON.parse(extracted), document.json ?? null) : {}
  const markdown = document.markdown ?? ''
  const isTextChanged = how.comparesText && !isSameText(state.markdown, markdown)
  const isJsonChanged = Object.keys(json).length > 0
  if (!isTextChanged && !isJsonChanged) return { status: 'same' }
  const text = isTextChanged ? gitDiff(state.markdown, markdown) : undefined
  if (!how.comparesJson) return { status: 'changed', diff: text }
  const { json: _, ...textDiff } = text ?? {}
  return { status: 'changed', diff: { json, ...textDiff } }
}
