import { isCancelled } from './error-code-of.ts'
import type { LabelsOf, NameOf } from './metric-table.ts'
import type { MetricRecorder } from './metrics.ts'

type Outcomes = 'success' | 'error' | 'cancelled'

/** Histograms of a duration by outcome. */
type TimedMetric = {
  [Name in NameOf<'histogram'>]: { readonly outcome: Outcomes } extends LabelsOf<Name> ? Name : never
}[NameOf<'histogram'>]

/**
 * Runs a function and records its duration and outcome: `cancelled` if `signal` aborted before its
 * end, unless by a timeout.
 */
export async function timed<Result>(
  metrics: MetricRecorder | undefined,
  { name, signal }: { readonly name: TimedMetric; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now()
  const record = (outcome: Outcomes): void =>
    metrics?.observe(name, { outcome }, (performance.now() - startedMs) / 1000)
  try {
    const result = await work()
    record('success')
    return result
  } catch (error) {
    record(isCancelled(signal) ? 'cancelled' : 'error')
    throw error
  }
}
