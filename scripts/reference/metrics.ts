import { catalogue } from '../../src/kit/catalogue.ts'
import type { LabelValues, MetricDefinition } from '../../server/src/metrics/metric-definition.ts'
import { metricTopics } from '../../server/src/metrics/metric-table.ts'
import { page, table } from './markdown.ts'

/** Generates the page of all metrics of the server, by topic. */
export function describeMetrics(): string {
  return page([
    '# Metrics',
    '`GET /metrics` returns these metrics in the text format of Prometheus, and the `process_*` and `nodejs_*` metrics of the server process. [Health checks and metrics](../running/monitoring.md) explains access, objectives and alerts.',
    'Each server reports its own values. Metrics marked _shared_ are read from the database, so that all servers report the same value: use `max()` instead of `sum()`. A histogram has the series `_bucket`, `_sum` and `_count`. Values that are not known yet are `NaN`.',
    ...Object.entries<Readonly<Record<string, MetricDefinition>>>(metricTopics).flatMap(([title, metrics]) => [
      `## ${title}`,
      table(['Metric', 'Type', 'Unit', 'Labels', 'Meaning'], Object.entries(metrics).map(describeMetric)),
    ]),
    '## Buckets',
    'Upper bounds of the buckets of the histograms, without `+Inf`:',
    table(
      ['Metric', 'Buckets'],
      Object.values<Readonly<Record<string, MetricDefinition>>>(metricTopics)
        .flatMap((metrics) => Object.entries(metrics))
        .flatMap(([name, { buckets }]) => (buckets === undefined ? [] : [[`\`${name}\``, buckets.join(', ')]])),
    ),
  ])
}

function describeMetric([name, definition]: readonly [string, MetricDefinition]): readonly string[] {
  const { type, unit = '', labels = {}, help, isShared = false } = definition
  const described = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${describeValues(values)}`)
  return [`\`${name}\``, type, unit, described.join('; '), `${help}${isShared ? ' (_shared_)' : ''}`]
}

const codes = new Set(Object.keys(catalogue))

function describeValues(values: LabelValues): string {
  if (typeof values === 'string') return values
  const others = values.filter((value) => !codes.has(value)).map((value) => `\`${value}\``)
  const hasCodes = others.length < values.length
  return [...others, ...(hasCodes ? ['[error codes](errors.md)'] : [])].join(', ')
}
