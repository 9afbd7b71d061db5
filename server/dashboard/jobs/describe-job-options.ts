import type { JobDetails } from 'bowline/contract/jobs'

/** An option of a job: its name in words, and its value as text. */
export type DescribedOption = readonly [name: string, value: string]

/** Describes the options of a job, and of its scrapes, that differ from their defaults. */
export function describeJobOptions({ options = {} }: Pick<JobDetails, 'options'>): readonly DescribedOption[] {
  const { scrapeOptions, ...own } = options
  const all = { ...own, ...(typeof scrapeOptions === 'object' ? scrapeOptions : {}) }
  return Object.entries(all).map(([name, value]) => [wordsOf(name), `${textOf(value)}${unitOf(name, value)}`])
}

/** `maxConcurrency` becomes `Max concurrency`. */
function wordsOf(name: string): string {
  if (name === 'urls') return 'URLs'
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').replaceAll(/[A-Z][a-z]+/g, (word) => word.toLowerCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const units: Readonly<Record<string, string>> = {
  timeout: 'ms',
  waitFor: 'ms',
  maxAge: 'ms',
  minAge: 'ms',
  delay: 's',
}

function unitOf(name: string, value: unknown): string {
  const unit = Object.hasOwn(units, name) ? units[name] : undefined
  return unit === undefined || typeof value !== 'number' ? '' : ` ${unit}`
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(textOfItem).join('\n')
  return isWebhook(value) ? `${value.url}\n${value.events?.join(', ') ?? ''}` : JSON.stringify(value, null, 2)
}

interface Webhook {
  readonly url: string
  readonly events?: readonly string[]
}

function isWebhook(value: unknown): value is Webhook {
  return typeof value === 'object' && value !== null && 'url' in value
}

/** A format without options is an object with its name. */
function textOfItem(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  const { type } = item as { readonly type?: unknown }
  return typeof type === 'string' && Object.keys(item).length === 1 ? type : JSON.stringify(item)
}
