import type { ScrapeRequest } from 'bowline/contract/scrape'
import { errorCodeOf, isCancelled } from '../metrics/error-code-of.ts'
import type { LabelsOf } from '../metrics/metric-table.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { ScrapeCall } from './scrape-call.ts'

/** How the page of a scrape was loaded. */
export type ScrapeSource = LabelsOf<'bowline_scrape_seconds'>['source']

/** Records the outcome of one scrape. */
export class ScrapeMetrics {
  readonly #metrics: MetricRecorder | undefined
  readonly #formats: ScrapeRequest['formats']
  readonly #signal: AbortSignal | undefined
  readonly #startedMs = performance.now()

  constructor(
    metrics: MetricRecorder | undefined,
    { formats }: Pick<ScrapeRequest, 'formats'>,
    { waitedMs = 0, signal }: Pick<ScrapeCall, 'waitedMs' | 'signal'>,
  ) {
    this.#metrics = metrics
    this.#formats = formats
    this.#signal = signal
    metrics?.observe('bowline_scrape_queue_wait_seconds', {}, waitedMs / 1000)
  }

  /** Runs the last part of the scrape and records its success or failure. */
  async finish<Result>(source: ScrapeSource, work: () => Promise<Result>): Promise<Result> {
    const result = await this.attempt(work)
    const seconds = (performance.now() - this.#startedMs) / 1000
    this.#metrics?.increment('bowline_scrapes_total', { outcome: 'success' })
    this.#metrics?.observe('bowline_scrape_seconds', { source }, seconds)
    for (const { type: format } of this.#formats) this.#metrics?.increment('bowline_scrape_formats_total', { format })
    return result
  }

  /** Runs an earlier part of the scrape and records its failure. */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  #fail(error: unknown): void {
    this.#metrics?.increment('bowline_scrapes_total', { outcome: this.#outcomeOf(error) })
  }

  #outcomeOf(error: unknown): string {
    // Aborted work fails with any error. Those who set the limit translate it for the client.
    if (isCancelled(this.#signal)) return 'ABORTED'
    return this.#signal?.aborted === true ? 'SCRAPE_TIMEOUT' : errorCodeOf(error)
  }
}
