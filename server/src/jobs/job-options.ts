import { isDeepStrictEqual } from 'node:util'
import { batchRequest } from 'bowline/contract/batch'
import { crawlRequest } from 'bowline/contract/crawl'
import type { JobDetails } from 'bowline/contract/jobs'
import type { JobPlan, Submission } from './job-plan.ts'
import { withoutLinkFormats } from './page-links.ts'

/** Options of a job as its details contain them. */
export type DescribedOptions = Required<Pick<JobDetails, 'options' | 'omittedOptions'>>

/**
 * Returns the options of a job that differ from their defaults, and the names of those that are
 * left out because they can contain secrets. A batch has those of its first submission.
 */
export function jobOptions({ crawl, webhook, maxConcurrency, submissions }: JobPlan): DescribedOptions {
  const [first] = submissions
  const request = first?.hidesLinks === true ? withoutLinks(first.request) : (first?.request ?? {})
  const changed = crawl === undefined ? changedFrom(batchDefaults, request) : changedFrom(crawlDefaults, crawl.options)
  return withoutSecrets({ ...changed, ...(maxConcurrency === undefined ? {} : { maxConcurrency }) }, webhook)
}

/** Returns the request of a retried crawl as its caller sent it. */
function withoutLinks(request: Submission['request']): Fields {
  return { ...request, formats: withoutLinkFormats(request.formats) }
}

/** Leaves out the options that can contain secrets, and names them. */
export function withoutSecrets(
  { headers, scrapeOptions, ...options }: Fields,
  webhook: JobPlan['webhook'],
): DescribedOptions {
  const { headers: pageHeaders, ...pageOptions } = (scrapeOptions ?? {}) as Fields
  const hidesWebhook = webhook !== undefined && URL.parse(webhook.url)?.search !== ''
  const { headers: webhookHeaders = {}, ...plainWebhook } = webhook ?? {}
  const omitted = {
    headers: headers !== undefined,
    'scrapeOptions.headers': pageHeaders !== undefined,
    webhook: hidesWebhook,
    'webhook.headers': !hidesWebhook && Object.keys(webhookHeaders).length > 0,
  }
  return {
    options: {
      ...options,
      ...(scrapeOptions === undefined ? {} : { scrapeOptions: pageOptions }),
      ...(webhook === undefined || hidesWebhook ? {} : { webhook: plainWebhook }),
    },
    omittedOptions: Object.entries(omitted).flatMap(([name, isOmitted]) => (isOmitted ? [name] : [])),
  }
}

/** Returns all options of a crawl without the headers of its scrapes, which can contain secrets. */
export function crawlOptions({ crawl }: JobPlan): Fields {
  return withoutHeaders({ ...crawl?.options })
}

function withoutHeaders(options: Fields): Fields {
  const { scrapeOptions } = options
  if (!isFields(scrapeOptions)) return options
  const { headers: _headers, ...plain } = scrapeOptions
  return { ...options, scrapeOptions: plain }
}

const anyUrl = 'https://example.com'
const batchDefaults: Fields = batchRequest.parse({ urls: [anyUrl] })
const crawlDefaults: Fields = crawlRequest.parse({ url: anyUrl })

/** Options by name. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the options that differ from their defaults. Compares nested objects by their fields, and
 * leaves out those without a changed field.
 */
export function changedFrom(defaults: Fields, options: Fields): Fields {
  const changed = Object.entries(options).flatMap(([name, value]) => {
    const usual = defaults[name]
    if (value === undefined || isDeepStrictEqual(value, usual)) return []
    return [[name, isFields(value) && isFields(usual) ? changedFrom(usual, value) : value] as const]
  })
  return Object.fromEntries(changed)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
