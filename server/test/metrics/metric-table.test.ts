import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { errorCodeOf } from '../../src/metrics/error-code-of.ts'
import type { MetricDefinition } from '../../src/metrics/metric-definition.ts'
import { metricTable } from '../../src/metrics/metric-table.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import { BowlineError } from '../../../src/kit/errors.ts'

const metrics = Object.entries<MetricDefinition>(metricTable)

test('names have the units and suffixes that Prometheus recommends', () => {
  const wrong = metrics.filter(([name, { type, unit }]) => {
    const words = name.split('_')
    const last = words.at(-1)
    const isTotal = last === 'total'
    const hasUnit = unit === undefined || words.includes(unit)
    const isOther = unit !== undefined && type !== 'counter' && last !== unit
    return !/^bowline(?:_[a-z]+)+$/.test(name) || isTotal !== (type === 'counter') || !hasUnit || isOther
  })

  expect(wrong.map(([name]) => name)).toEqual([])
})

test('histograms have rising buckets, and only they', () => {
  const wrong = metrics.filter(([, { type, buckets = [] }]) => {
    const isRising = buckets.every((bound, index) => index === 0 || bound > (buckets[index - 1] ?? 0))
    return buckets.length > 0 !== (type === 'histogram') || !isRising
  })

  expect(wrong.map(([name]) => name)).toEqual([])
})

test('no label identifies a team, a key, a session or a URL', () => {
  const labels = new Set(metrics.flatMap(([, definition]) => Object.keys(definition.labels ?? {})))

  expect([...labels].filter((label) => /team|key|session|url|host|id$|name|user|ip$/.test(label))).toEqual([])
})

test('a code that another service made up does not become a label', () => {
  expect(errorCodeOf(new BowlineError('SCRAPE_TIMEOUT', ''))).toBe('SCRAPE_TIMEOUT')
  expect(errorCodeOf(new BowlineError('MADE_UP_4711', ''))).toBe('UNKNOWN_ERROR')
  expect(errorCodeOf(new TypeError('unexpected'))).toBe('UNKNOWN_ERROR')
})

test('series with listed labels exist from the start', async () => {
  const text = await new Metrics('1.0.0').text()

  expect(text).toMatch(/^bowline_sessions_ended_total\{reason="lost"\} 0$/m)
  expect(text).toMatch(/^bowline_scrapes_total\{outcome="BROWSER_START_FAILED"\} 0$/m)
  expect(text).not.toMatch(/^bowline_scrapes_total\{outcome="SCRAPE_TIMEOUT"\}/m)
  expect(text).toMatch(/^bowline_browser_start_seconds_bucket\{le="0.05",outcome="error"\} 0$/m)
})

const promtool = '/usr/bin/promtool'
const name = existsSync(promtool)
  ? 'promtool finds no fault in the metrics'
  : 'promtool finds no fault in the metrics: skipped, as Prometheus is not installed'

test.skipIf(!existsSync(promtool))(name, async () => {
  const checked = promisify(execFile)(promtool, ['check', 'metrics'])
  checked.child.stdin?.end(await new Metrics('1.0.0').text())

  expect(await checked).toEqual({ stdout: '', stderr: '' })
})
