import { serverMetrics } from './server-metrics.ts'
import { browserMetrics, sessionMetrics } from './session-metrics.ts'
import { scrapeMetrics, workMetrics } from './work-metrics.ts'

/** All metrics of the server by topic. They are registered, documented and tested from here. */
export const metricTopics = {
  Server: serverMetrics,
  Sessions: sessionMetrics,
  Browsers: browserMetrics,
  Scrapes: scrapeMetrics,
  'Jobs, monitors, webhooks and credits': workMetrics,
} as const

/** All metrics of the server by name. */
export const metricTable = { ...serverMetrics, ...sessionMetrics, ...browserMetrics, ...scrapeMetrics, ...workMetrics }

type MetricTable = typeof metricTable

/** Name of a metric. */
export type MetricName = keyof MetricTable

/** Name of a metric of one type. */
export type NameOf<Type extends 'counter' | 'gauge' | 'histogram'> = {
  [Name in MetricName]: MetricTable[Name] extends { readonly type: Type } ? Name : never
}[MetricName]

type ValueOf<Values> = Values extends readonly (infer Value extends string)[] ? Value : string

/** The labels of a metric without labels. */
type NoLabels = Readonly<Record<string, never>>

/** Labels of a metric. */
export type LabelsOf<Name extends MetricName> = MetricTable[Name] extends { readonly labels: infer Labels }
  ? { readonly [Label in keyof Labels]: ValueOf<Labels[Label]> }
  : NoLabels
