import { isCancelled } from './error-code-of.ts'
import type { LabelsOf, NameOf } from './metric-table.ts'
import type { MetricRecorder } from './metrics.ts'

type Failure = 'error' | 'cancelled'

/** Histograms of a duration by outcome. */
type TimedMetric = {
  [Name in NameOf<'histogram'>]: { readonly outcome: 'success' | Failure } extends LabelsOf<Name> ? Name : never
}[NameOf<'histogram'>]

/** Runs a function and records its duration and outcome. `failureOf` returns that of a failure. */
export async function timed<Result>(
  metrics: MetricRecorder | undefined,
  { name, failureOf }: { readonly name: TimedMetric; readonly failureOf: () => Failure },
  work: () => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now()
  const record = (outcome: 'success' | Failure): void =>
    metrics?.observe(name, { outcome }, (performance.now() - startedMs) / 1000)
  try {
    const result = await work()
    record('success')
    return result
  } catch (error) {
    record(failureOf())
    throw error
  }
}

/** Returns the outcome of failures: `cancelled` if the signal has aborted, unless by a timeout. */
export function cancelledOrError(signal: AbortSignal): () => Failure {
  return () => (isCancelled(signal) ? 'cancelled' : 'error')
}
