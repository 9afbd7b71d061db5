import type { WebhookSpec } from 'bowline/contract/webhooks'
import { sha256 } from 'bowline/kit/sha256'
import { stableJson } from '../kit/stable-json.ts'
import { canonicalList, canonicalOptions, type SomeScrapeOptions } from '../scrape/document/canonical-options.ts'
import { keepsNoData } from './keeps-no-data.ts'

/** Hashes by which a repeated request for a job is recognized. */
export interface RequestHashes {
  readonly requestHash: string
  /**
   * Hashes of the same request by earlier versions, which depend on the spelling of its options.
   * The first versions also hashed the options that affect only the speed of the job.
   */
  readonly formerRequestHashes: readonly string[]
}

/**
 * Hashes what a request for a job means: spellings with the same effect have the same hash. Omits
 * the name of the client program, which contains its version, and the options that affect only the
 * speed of the job. `v1`: options that only API v1 has.
 */
export function hashRequest(request: RequestFields, v1: object = {}): RequestHashes {
  const { origin: _origin, integration: _integration, ...former } = request
  const { maxConcurrency: _maxConcurrency, delay: _delay, ...rest } = former
  return {
    requestHash: hash(stableJson({ ...canonicalRequest(rest), ...v1 })),
    formerRequestHashes: [hash(JSON.stringify(rest)), hash(JSON.stringify(former))],
  }
}

function canonicalRequest(request: RequestFields): object {
  const { webhook } = request
  const canonicalWebhook = webhook && { ...webhook, events: canonicalList(webhook.events) }
  if (request.scrapeOptions === undefined) return { ...canonicalOptions(request), webhook: canonicalWebhook }
  return { ...canonicalCrawl(request, request.scrapeOptions), webhook: canonicalWebhook }
}

function canonicalCrawl(request: RequestFields, scrapeOptions: SomeScrapeOptions): object {
  const { prompt } = request
  const zeroDataRetention = keepsNoData(request)
  // Accepted without effect.
  const { deduplicateSimilarURLs: _deduplicate, robotsUserAgent: _agent, ...effective } = request
  const hasPrompt = prompt !== undefined && prompt.trim() !== ''
  return {
    ...effective,
    prompt: hasPrompt ? prompt : undefined,
    includePaths: canonicalList(request.includePaths),
    excludePaths: canonicalList(request.excludePaths),
    // With a prompt, the language model sets what the request does not.
    crawlEntireDomain: hasPrompt ? request.crawlEntireDomain : (request.crawlEntireDomain ?? false),
    zeroDataRetention,
    scrapeOptions: canonicalOptions({ ...scrapeOptions, zeroDataRetention }),
  }
}

function hash(text: string): string {
  return sha256(text).toString('hex')
}

/** The parts of requests for batches and crawls that have several spellings. */
interface RequestFields extends SomeScrapeOptions {
  readonly origin?: unknown
  readonly integration?: unknown
  readonly maxConcurrency?: unknown
  readonly delay?: unknown
  readonly webhook?: WebhookSpec | undefined
  /** Set for crawls. */
  readonly scrapeOptions?: SomeScrapeOptions | undefined
  readonly prompt?: string | undefined
  readonly includePaths?: readonly string[] | undefined
  readonly excludePaths?: readonly string[] | undefined
  readonly crawlEntireDomain?: boolean | undefined
  readonly deduplicateSimilarURLs?: unknown
  readonly robotsUserAgent?: unknown
}
