import type { Budget } from './budget.ts'
import type { PoolEvent, PoolProgress, PoolSummary } from './outcome.ts'

/** Counts the events of a run. */
export interface ProgressTracker {
  readonly progress: () => PoolProgress
  readonly summary: (stoppedBy: PoolSummary['stoppedBy']) => PoolSummary
  readonly emit: (event: PoolEvent) => void
}

/** Creates the progress tracker of a run. */
export function createProgressTracker(deps: {
  readonly budget: () => Pick<Budget, 'spent'> | undefined
  readonly waiting: () => number
  readonly running: () => number
  readonly sessions: () => number
  readonly onProgress: ((progress: PoolProgress, event: PoolEvent) => void) | undefined
}): ProgressTracker {
  const startedAt = performance.now()
  const counts = { done: 0, failed: 0, resumed: 0, retried: 0 }
  let opened = 0
  const progress = (): PoolProgress => ({
    ...counts,
    running: deps.running(),
    waiting: deps.waiting(),
    sessions: deps.sessions(),
    credits: deps.budget()?.spent() ?? 0,
    elapsedMs: Math.round(performance.now() - startedAt),
  })
  const count = (event: PoolEvent): void => {
    if (event.type === 'retry') counts.retried += 1
    if (event.type === 'session-opened') opened += 1
    if (event.type !== 'item') return
    counts[event.outcome.state] += 1
    if (event.outcome.state === 'done' && event.outcome.isResumed) counts.resumed += 1
  }
  return {
    progress,
    summary: (stoppedBy) => {
      const { done, failed, resumed, retried, credits, elapsedMs } = progress()
      return { done, failed, resumed, retried, sessions: opened, credits, elapsedMs, stoppedBy }
    },
    emit: (event) => {
      count(event)
      try {
        deps.onProgress?.(progress(), event)
      } catch (error) {
        // A throwing callback must not end the run.
        process.emitWarning(`onProgress threw: ${String(error)}`, { code: 'BOWLINE_ON_PROGRESS' })
      }
    },
  }
}
