import type { BulkProgress } from '../client/bulk-run.ts'
import { countOf } from '../kit/count-of.ts'
import { openStatusLine } from './status-line.ts'

/** Shows the progress of a job if standard error is a terminal. Disposing erases the line. */
export function showProgress(): Disposable & { readonly update: (progress: BulkProgress) => void } {
  const line = openStatusLine()
  let start: { readonly atMs: number; readonly completed: number } | undefined
  return {
    update: (progress) => {
      start ??= { atMs: performance.now(), completed: progress.completed }
      const passed = { elapsedMs: performance.now() - start.atMs, pages: progress.completed - start.completed }
      line.show(describeProgress(progress, passed))
    },
    [Symbol.dispose]: line.erase,
  }
}

const barWidth = 40

/**
 * Formats the progress of a job: a bar, counts, and the remaining time at the speed of the pages in
 * `passed`.
 */
export function describeProgress(
  { completed, total, failed = 0, creditsUsed }: Pick<BulkProgress, 'completed' | 'total' | 'failed' | 'creditsUsed'>,
  passed: { readonly elapsedMs: number; readonly pages: number },
): string {
  const filled = total === 0 ? 0 : Math.min(barWidth, Math.floor((completed / total) * barWidth))
  const bar = '='.repeat(filled) + '-'.repeat(barWidth - filled)
  const remainingMs = (Math.max(0, total - completed) * passed.elapsedMs) / passed.pages
  const failures = failed === 0 ? '' : ` · ${failed} failed`
  // The total of the API is without failed pages.
  const pages = `${completed} of ${countOf(total + failed, 'page')}`
  return `${bar} ${pages}${failures} · ${countOf(creditsUsed, 'credit')} · ${formatDuration(remainingMs)}`
}

function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '?'
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`
  return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m`
}
