import type { Document } from 'bowline/contract/document'
import type { PageDiff, PageStatus } from 'bowline/contract/monitor-checks'
import { gitDiff, type CompareTexts } from '../scrape/format/git-diff.ts'
import { isSameText } from '../scrape/format/same-text.ts'
import { goneStatuses } from '../scrape/format/track-changes.ts'
import type { ViewerPageState } from './queries/pages.ts'
import { diffJson } from './json-diff.ts'
import type { PageScrapeSpec } from './page-scrape-spec.ts'

/** How a page differs from its last state. */
export interface Comparison {
  readonly status: PageStatus
  readonly diff?: PageDiff | undefined
  readonly error?: string | undefined
}

/**
 * Compares a page with its last state, if there is one. Error responses are status `error`, except
 * that 404 and 410 mean `removed` for a known page. Rejects like `gitDiff`.
 */
export async function comparePage(
  document: Document,
  state: ViewerPageState | undefined,
  options: Pick<PageScrapeSpec, 'comparesJson' | 'comparesText'> & { readonly compareLongTexts: CompareTexts },
): Promise<Comparison> {
  const { statusCode = 200 } = document.metadata
  const isGone = goneStatuses.has(statusCode)
  if (isGone && state !== undefined) return { status: state.isGone ? 'same' : 'removed' }
  if (statusCode >= 400) return { status: 'error', error: `The page responded with status ${statusCode}` }
  if (state === undefined || state.isGone) return { status: 'new' }
  // Data extracted for the first time has no baseline.
  const { extracted } = state
  const json = options.comparesJson && extracted !== undefined ? diffJson(extracted, document.json ?? null) : {}
  const markdown = document.markdown ?? ''
  const isTextChanged = options.comparesText && !isSameText(state.markdown, markdown)
  const isJsonChanged = Object.keys(json).length > 0
  if (!isTextChanged && !isJsonChanged) return { status: 'same' }
  const text = isTextChanged ? await gitDiff(state.markdown, markdown, options.compareLongTexts) : undefined
  if (!options.comparesJson) return { status: 'changed', diff: text }
  const { json: _, ...textDiff } = text ?? {}
  return { status: 'changed', diff: { json, ...textDiff } }
}
