import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricDefinition } from './metric-definition.ts'
import { metricTable, type LabelsOf, type MetricName, type NameOf } from './metric-table.ts'
import { processMetrics } from './process-metrics.ts'

/** The value of a metric for some labels. */
export interface Sample<Name extends MetricName> {
  readonly labels: LabelsOf<Name>
  readonly value: number
}

/** Counters and histograms that the parts of the server write to. */
export type MetricRecorder = Pick<Metrics, 'increment' | 'observe'>

type AnyMetric = Counter | Gauge | Histogram

/**
 * The Prometheus metrics of one server, as defined in the table, and those of its process. They
 * have their own registry, so that several servers can run in one process.
 */
export class Metrics {
  readonly #process = processMetrics()
  readonly #registry = new Registry()
  readonly #metrics: ReadonlyMap<MetricName, AnyMetric>
  readonly #readers = new Map<string, () => Promise<readonly Sample<MetricName>[]>>()

  constructor(version: string) {
    const names = Object.keys(metricTable) as MetricName[]
    this.#metrics = new Map(names.map((name) => [name, this.#register(name, metricTable[name])]))
    const { node } = process.versions
    this.readSamples('bowline_build_info', () => [{ labels: { version, node }, value: 1 }])
  }

  /** Content type of the text. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** Adds to a counter. */
  increment<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    ;(this.#metrics.get(name) as Counter).inc(labels, by)
  }

  /** Adds a value to a histogram. */
  observe<Name extends NameOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    ;(this.#metrics.get(name) as Histogram).observe(labels, value)
  }

  /** Sets the function that returns the value of a metric at each collection. NaN: unknown. */
  read(name: NameOf<'gauge' | 'counter'>, read: () => number | Promise<number>): void {
    this.#readers.set(name, async () => [{ labels: {}, value: await read() }])
  }

  /** Sets the function that returns the values of a metric with labels at each collection. */
  readSamples<Name extends NameOf<'gauge' | 'counter'>>(name: Name, read: () => readonly Sample<Name>[]): void {
    this.#readers.set(name, async () => read())
  }

  /** Sums the values that a histogram has observed. `where` selects them by their labels. */
  async sumHistogram<Name extends NameOf<'histogram'>>(
    name: Name,
    where: (labels: Partial<Record<string, string | number>>) => boolean = () => true,
  ): Promise<{ readonly count: number; readonly sum: number }> {
    const { values } = await (this.#metrics.get(name) as Histogram).get()
    const total = (suffix: string): number =>
      values
        .filter(({ metricName, labels }) => metricName === `${name}_${suffix}` && where(labels))
        .reduce((sum, { value }) => sum + value, 0)
    return { count: total('count'), sum: total('sum') }
  }

  /** Collects all values in the text format of Prometheus. */
  async text(): Promise<string> {
    return `${await this.#process.metrics()}\n${await this.#registry.metrics()}`
  }

  #register(name: MetricName, definition: MetricDefinition): AnyMetric {
    const { type, help, labels = {}, buckets = [] } = definition
    const readAll = async (metric: AnyMetric): Promise<void> => this.#collect(name, metric)
    const config = {
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [this.#registry],
      async collect(this: AnyMetric) {
        await readAll(this)
      },
    }
    if (type === 'histogram') {
      const histogram = new Histogram({ ...config, buckets: [...buckets] })
      for (const each of initialLabels(definition)) histogram.zero(each)
      return histogram
    }
    const metric = type === 'counter' ? new Counter(config) : new Gauge(config)
    for (const each of initialLabels(definition)) metric.inc(each, 0)
    return metric
  }

  async #collect(name: string, metric: AnyMetric): Promise<void> {
    const read = this.#readers.get(name)
    if (read === undefined || metric instanceof Histogram) return
    const samples = await read()
    metric.reset()
    for (const { labels, value } of samples) {
      if (metric instanceof Gauge) metric.set(labels, value)
      else metric.inc(labels, value)
    }
  }
}

/**
 * The labels whose series exist from the start, with the value 0. Otherwise, the first increase of
 * a series would be invisible to `rate()`.
 */
function initialLabels({ labels = {}, initial }: MetricDefinition): readonly Readonly<Record<string, string>>[] {
  const [first, ...more] = Object.entries(labels)
  if (first === undefined) return [{}]
  const [label, all] = first
  const values = initial ?? all
  if (more.length > 0 || typeof values === 'string') return []
  return values.map((value) => ({ [label]: value }))
}
