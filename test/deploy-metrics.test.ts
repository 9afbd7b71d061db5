import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { serverFaultCodes } from '../server/src/metrics/error-code-of.ts'
import type { MetricDefinition } from '../server/src/metrics/metric-definition.ts'
import { metricTable } from '../server/src/metrics/metric-table.ts'
import { Metrics } from '../server/src/metrics/metrics.ts'
import { serverRoutes } from '../src/contract/server-routes.ts'
import { readExpression, type Matcher } from './lab/promql.ts'
import { repository } from './lab/source-tree.ts'
import { temporaryFolder } from './lab/stores.ts'

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

const ruleFiles = ['deploy/prometheus/alerts.yaml', 'deploy/prometheus/objectives.yaml']

function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

function readRules(path: string): readonly Rule[] {
  const { groups } = parse(readText(path)) as { groups: readonly { readonly rules: readonly Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

const { panels } = JSON.parse(readText('deploy/grafana/bowline.json')) as Dashboard
const documented = [...readText('docs/running/monitoring.md').matchAll(/```promql\n([^`]*)```/g)]
const expressions: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(ruleFiles.map((path) => [path, readRules(path).map(({ expr }) => expr)])),
  'deploy/grafana/bowline.json': panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  'docs/running/monitoring.md': documented.map(([, text = '']) => text),
}

/** Metrics of recording rules, which have no labels. */
const recorded = new Set(ruleFiles.flatMap((path) => readRules(path).flatMap(({ record }) => record ?? [])))

/** Names of the metrics of Node and the process, and of Prometheus itself. */
const others = new Set([
  'up',
  ...[...(await new Metrics('1').text()).matchAll(/^# TYPE (\w+)/gm)].map(([, each]) => each),
])

/** Labels that Prometheus adds. */
const targetLabels = ['instance', 'job']

/** Returns the definition of the metric that a series belongs to. */
function definitionOf(series: string): MetricDefinition | undefined {
  const table: Readonly<Record<string, MetricDefinition>> = metricTable
  const base = series.replace(/_(?:bucket|sum|count)$/, '')
  return table[base]?.type === 'histogram' ? (series === base ? undefined : table[base]) : table[series]
}

function labelsOf(series: string): readonly string[] {
  const { labels = {} } = definitionOf(series) ?? {}
  return [...targetLabels, ...Object.keys(labels), ...(series.endsWith('_bucket') ? ['le'] : [])]
}

/** Returns what is wrong with a matcher: an unknown label, or a value that the label never has. */
function faultOf(series: string, { label, operator, value }: Matcher): string | undefined {
  if (!labelsOf(series).includes(label)) return `${series} has no label ${label}`
  const { labels, buckets = [] } = definitionOf(series) ?? {}
  const known = label === 'le' ? buckets.map(String) : labels?.[label]
  const wanted = operator.includes('~') ? value.split('|') : [value]
  if (known === undefined || typeof known === 'string') return undefined
  const unknown = wanted.find((each) => !known.includes(each))
  return unknown === undefined ? undefined : `${label} of ${series} is never ${unknown}`
}

function faultsOf(expression: string): readonly string[] {
  const { selectors, grouping } = readExpression(expression)
  const unknown = selectors
    .map(({ name }) => name)
    .filter(
      (name) => definitionOf(name) === undefined && !recorded.has(name) && (name in metricTable || !others.has(name)),
    )
  const labels = new Set(selectors.flatMap(({ name }) => labelsOf(name)))
  return [
    ...unknown.map((name) => `${name} is no metric`),
    ...selectors.flatMap(({ name, matchers }) => matchers.flatMap((matcher) => faultOf(name, matcher) ?? [])),
    ...grouping.filter((label) => !labels.has(label)).map((label) => `No metric has the label ${label}`),
  ]
}

test.each(Object.entries(expressions))('every metric, label and value in %s exists', (_path, found) => {
  expect(found.length).toBeGreaterThan(1)
  expect(found.flatMap(faultsOf)).toEqual([])
})

test('unknown metrics, labels and values are found', () => {
  const expression = `sum by (le, team) (rate(bowline_cdp_connect_seconds_bucket{outcome="fine",le="0.3"}[5m]))
    / bowline_none{x="1"} + bowline_cdp_connect_seconds`

  expect(faultsOf(expression)).toEqual([
    'bowline_none is no metric',
    'bowline_cdp_connect_seconds is no metric',
    'outcome of bowline_cdp_connect_seconds_bucket is never fine',
    'le of bowline_cdp_connect_seconds_bucket is never 0.3',
    'bowline_none has no label x',
    'No metric has the label team',
  ])
})

test('the objectives count the errors that servers cause, and no probes', () => {
  const codes = [...readText('deploy/prometheus/objectives.yaml').matchAll(/=~"([A-Z_|]+)"/g)].map(([, list]) => list)
  const { liveness, readiness, metrics } = serverRoutes

  expect(new Set(codes)).toEqual(new Set([serverFaultCodes.join('|')]))
  expect(readText('deploy/prometheus/objectives.yaml')).toContain(
    `route!~"${[liveness, readiness, metrics].map(({ path }) => path).join('|')}"`,
  )
})

test('the documentation names every recorded ratio', () => {
  const page = readText('docs/running/monitoring.md')
  const hourly = [...recorded].filter((name) => name.endsWith('_rate1h'))

  expect(hourly).toHaveLength(6)
  expect(hourly.filter((name) => !page.includes(name))).toEqual([])
})

const promtool = '/usr/bin/promtool'
const hasPromtool = existsSync(promtool)
const skipped = hasPromtool ? '' : ': skipped, as Prometheus is not installed'

test.skipIf(!hasPromtool)(`promtool accepts the rules${skipped}`, async () => {
  const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', ...ruleFiles], { cwd: repository })

  expect(stdout.match(/SUCCESS: \d+ rules found/g)).toHaveLength(ruleFiles.length)
})

/** A server on which 10 % of the session starts fail for two hours, and that leaks a browser. */
const alertTest = `
rule_files: [${ruleFiles.map((path) => join(repository, path)).join(', ')}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: bowline_session_start_failures_total{reason="BROWSER_START_FAILED",instance="a"}
        values: 0+1x120
      - series: bowline_session_start_failures_total{reason="CONCURRENCY_LIMIT",instance="a"}
        values: 0+50x120
      - series: bowline_session_start_seconds_count{instance="a"}
        values: 0+9x120
      - series: bowline_request_errors_total{code="SCRAPE_SITE_ERROR",instance="a"}
        values: 0+5x120
      - series: bowline_request_errors_total{code="UNKNOWN_ERROR",instance="a"}
        values: 0+0x120
      - series: bowline_request_seconds_count{route="/v2/scrape",status="500",instance="a"}
        values: 0+10x120
      - series: bowline_leaked_browsers{instance="a"}
        values: 1+0x120
      - series: bowline_ready{instance="a"}
        values: 1+0x120
      - series: bowline_draining{instance="a"}
        values: 0+0x120
    promql_expr_test:
      - expr: bowline:session_starts:error_ratio_rate1h
        eval_time: 90m
        exp_samples: [{ labels: 'bowline:session_starts:error_ratio_rate1h', value: 0.1 }]
      - expr: bowline:requests:error_ratio_rate1h
        eval_time: 90m
        exp_samples: [{ labels: 'bowline:requests:error_ratio_rate1h', value: 0 }]
      - expr: count by (alertname) (ALERTS{alertstate="firing"})
        eval_time: 90m
        exp_samples:
          - { labels: '{alertname="BowlineSessionObjective"}', value: 1 }
          - { labels: '{alertname="BowlineSessionObjectiveFast"}', value: 1 }
          - { labels: '{alertname="BowlineLeaks"}', value: 1 }
`

test.skipIf(!hasPromtool)(`alerts fire for failures of servers only${skipped}`, async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'alerts.test.yaml')
  await writeFile(path, alertTest)

  const { stdout } = await promisify(execFile)(promtool, ['test', 'rules', path])

  expect(stdout).toContain('SUCCESS')
})
