import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { BatchRequest } from 'bowline/contract/batch'
import { pageUrl, sourceUrl } from 'bowline/contract/page-url'
import { scrapeFields, type ScrapeOptions } from 'bowline/contract/scrape'
import { listIssues, shorten, andMore } from 'bowline/contract/validation-issues'
import { BowlineError } from 'bowline/kit/errors'
import { hashRequest } from '../../jobs/hash-request.ts'
import type { Jobs, JobPage } from '../../jobs/jobs.ts'
import type { Submission } from '../../jobs/job-plan.ts'
import { v1Batch } from '../../compat/v1-batch.ts'
import type { Scrapes } from '../../scrape/scrapes.ts'
import { jobHandlers } from '../job-handlers.ts'
import { jobPath } from '../job-status.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the batch and crawl routes. */
export interface BatchRouteDeps {
  readonly jobs: Jobs
  readonly scrapes: Scrapes
}

type Started = Awaited<ReturnType<NonNullable<Handlers['startBatch']>>>

/** Routes of batch scrapes. */
export function batchHandlers({ jobs, scrapes }: BatchRouteDeps): Handlers {
  const start = async (body: BatchRequest, call: Call, options: Pick<Submission, 'showsExtract'>): Promise<Started> => {
    const { showsExtract } = options
    const { key, apiVersion: version, baseUrl, idempotencyKey } = call
    const { pages, invalid } = await checkUrls(body)
    const submission = toSubmission(body, showsExtract)
    scrapes.check({ ...submission.request, url: pages[0]?.url ?? '' })
    const { webhook, maxConcurrency, appendToId } = body
    const warning = appendToId === undefined ? undefined : ignoredWarning({ webhook, maxConcurrency })
    const { requestHash, formerRequestHashes } = hashRequest(body, showsExtract ? { showsExtract } : {})
    const { id } =
      appendToId === undefined
        ? await jobs.start({
            kind: 'batch_scrape',
            version,
            teamId: key.teamId,
            apiKeyId: key.id,
            baseUrl,
            idempotencyKey,
            requestHash,
            formerRequestHashes,
            plan: { submissions: [submission], webhook, maxConcurrency },
            pages,
          })
        : await jobs.append(
            { id: appendToId, teamId: key.teamId, kind: 'batch_scrape' },
            { submission: { ...submission, idempotencyKey, requestHash }, pages, formerRequestHashes },
          )
    return {
      success: true,
      id,
      url: `${baseUrl}${jobPath({ id, kind: 'batch_scrape' }, version)}`,
      ...(body.ignoreInvalidURLs && { invalidURLs: [...invalid] }),
      ...(warning === undefined ? {} : { warning }),
    }
  }
  const retry = async (id: string, { key, apiVersion: version, baseUrl, idempotencyKey }: Call): Promise<Started> => {
    const caller = { teamId: key.teamId, apiKeyId: key.id, version, baseUrl, idempotencyKey }
    const started = await jobs.retry({ id, teamId: key.teamId }, caller)
    return {
      success: true,
      id: started.id,
      url: `${baseUrl}${jobPath({ id: started.id, kind: 'batch_scrape' }, version)}`,
    }
  }
  const { get, cancel, errors } = jobHandlers(jobs, 'batch_scrape')
  return {
    startBatch: async ({ body }, call) => start(body, call, { showsExtract: false }),
    startV1Batch: async ({ body }, call) =>
      start(v1Batch(body), call, { showsExtract: body.formats.includes('extract') }),
    getBatch: get,
    cancelBatch: cancel,
    retryBatch: async ({ params }, call) => retry(params.id, call),
    getBatchErrors: errors,
  }
}

/**
 * Splits the URLs of a batch into valid and invalid ones. Throws BAD_REQUEST if some are invalid,
 * unless `ignoreInvalidURLs` is set, or if none is valid.
 */
async function checkUrls({
  urls,
  ignoreInvalidURLs,
}: BatchRequest): Promise<{ readonly pages: readonly JobPage[]; readonly invalid: readonly string[] }> {
  const valid: JobPage[] = []
  const invalid: string[] = []
  const issues: z.core.$ZodIssue[] = []
  for (const [index, url] of urls.entries()) {
    // Validating 100,000 URLs takes more than a second, so other requests get their turn.
    if (index % urlsPerTurn === urlsPerTurn - 1) await setImmediate()
    const result = pageUrl.safeParse(url)
    if (result.success) valid.push({ url: result.data, sourceUrl: sourceUrl(url, result.data) })
    else {
      invalid.push(url)
      const [issue] = result.error.issues
      if (issue !== undefined) issues.push({ ...issue, path: ['urls', index] })
    }
  }
  const { issues: details, more } = listIssues(issues)
  const [first] = issues
  const reason = first?.message ?? 'Invalid URL'
  if (first !== undefined && !ignoreInvalidURLs) {
    const message = `Bad Request: ${first.path.join('.')}: ${reason}${andMore(more)}`
    throw new BowlineError('BAD_REQUEST', message, { details })
  }
  if (valid.length === 0) {
    const hint = `${shorten(invalid[0] ?? '')}: ${reason}`
    throw new BowlineError('BAD_REQUEST', 'No valid URLs provided', { hint, details })
  }
  return { pages: valid, invalid }
}

const urlsPerTurn = 500

const scrapeKeys = new Set(Object.keys(scrapeFields))

function toSubmission(body: BatchRequest, showsExtract: boolean): Submission {
  return {
    request: Object.fromEntries(
      Object.entries(body).filter(([key]) => scrapeKeys.has(key)),
    ) as unknown as ScrapeOptions,
    showsExtract,
    hidesLinks: false,
  }
}

/** Names the options of an addition that only the request of its job can set. */
function ignoredWarning(options: Pick<BatchRequest, 'webhook' | 'maxConcurrency'>): string | undefined {
  const names = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`\`${name}\``]))
  if (names.length === 0) return undefined
  return `Not applied, because the pages were added to a job, which has its own: ${names.join(', ')}.`
}
