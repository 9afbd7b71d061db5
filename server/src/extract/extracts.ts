import type { ExtractRequest, ExtractStatusResponse } from 'bowline/contract/extract'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attempt } from '../queue/worker.ts'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import { findExtractJob, type ExtractEnd, type ExtractJobRow } from './extract-job-queries.ts'
import { expiryOf, jobRetentionMs } from '../kit/job-retention.ts'
import type { Store } from '../store/store.ts'
import { isUnreadable, orUndefined } from '../store/tables/json-table.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { assertJsonSchema } from '../json-schema/assert-json-schema.ts'
import type { Billing } from '../billing/billing.ts'
import { priceOfExtract, type Prices } from '../billing/prices.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { admitExtract, endExtractJob } from './extract-account.ts'
import { extractData, type ExtractDeps } from './extract-data.ts'
import { PageScrapes } from './page-scrapes.ts'
import { maxPagesOf, createPlan, searchResultCount } from './plan.ts'

/** Dependencies of `Extracts`. */
export interface ExtractsDeps extends Omit<ExtractDeps, 'languageModel'> {
  readonly store: Store
  readonly billing: Pick<Billing, 'reserve' | 'noteCharge'>
  readonly queues: TaskQueues
  readonly webhooks: Pick<Webhooks, 'send' | 'assertPermitted'>
  readonly prices: Pick<Prices, 'extraction' | 'extractMinimum'>
  /** `undefined` if extractions are unavailable. */
  readonly languageModel: LanguageModel | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** An extraction to start. */
export interface NewExtract {
  readonly teamId: string
  readonly apiKeyId: string
  readonly baseUrl: string
  readonly request: ExtractRequest
}

/** Extractions of this server at a time. Those of one team take at most half. */
const concurrency = 8
const tokensPerCredit = 15

const queue: Queue<{ readonly id: string }> = { name: 'extract', expireSeconds: 900, isSharedByTeams: true }

/**
 * Runs extractions from a queue. The maximum price of each is reserved at its start and settled at
 * its end.
 */
export class Extracts {
  readonly #deps: ExtractsDeps

  private constructor(deps: ExtractsDeps) {
    this.#deps = deps
  }

  /** Starts processing queued extractions. */
  static async open(deps: ExtractsDeps): Promise<Extracts> {
    const extracts = new Extracts(deps)
    await deps.queues.work(
      queue,
      { concurrency, onExhausted: async ({ id }, error) => extracts.#end(id, { error: reasonOf(error) }) },
      async ({ id }, attempt) => extracts.#process(id, attempt),
    )
    return extracts
  }

  /**
   * Queues an extraction and reserves its maximum price. Throws FORMAT_UNAVAILABLE without a
   * language model, BAD_REQUEST or INSUFFICIENT_CREDITS.
   */
  async start({ request, baseUrl, ...owner }: NewExtract): Promise<{
    readonly id: string
    readonly invalidUrls: readonly string[]
  }> {
    const { store, queues, languageModel, prices, searches } = this.#deps
    if (languageModel === undefined) {
      throw new BowlineError('FORMAT_UNAVAILABLE', 'Extraction needs a language model, and none is configured')
    }
    assertJsonSchema(request.schema)
    await this.#deps.webhooks.assertPermitted(request.webhook)
    const { plan, invalidUrls } = createPlan(request, baseUrl)
    const id = uuidV7()
    const searchCredits = plan.enableWebSearch ? searches.price(searchResultCount) : 0
    const credits = priceOfExtract(prices, maxPagesOf(plan)) + searchCredits
    await store.db.transaction().execute(async (db) => {
      await queues.send(queue, { id }, { db, teamId: owner.teamId })
      const admission = await admitExtract(db, { ...owner, id, request: plan, credits })
      if (admission.outcome === 'insufficient-credits') {
        const message = `Insufficient credits to perform this request. It costs up to ${credits}, and ${admission.available} are available`
        throw new BowlineError('INSUFFICIENT_CREDITS', message, {
          hint: 'Lower `limit`, or add credits to the team.',
        })
      }
    })
    return { id, invalidUrls }
  }

  /**
   * Returns the status and result of an extraction. Throws EXTRACT_NOT_FOUND, also for one of
   * another team.
   */
  async read(id: string, teamId: string): Promise<ExtractStatusResponse> {
    const job = isUuid(id) ? await findExtractJob(this.#deps.store.db, id) : undefined
    const expiresAt = job && expiryOf(endOfLife(job), job.status === 'processing')
    if (job?.teamId !== teamId || expiresAt === undefined || expiresAt.getTime() < Date.now()) {
      throw new BowlineError('EXTRACT_NOT_FOUND', 'Extract job not found')
    }
    return {
      success: job.status !== 'failed',
      status: job.status,
      ...resultOf(job),
      expiresAt: expiresAt.toISOString(),
    }
  }

  async #process(id: string, attempt: Attempt): Promise<void> {
    try {
      const job = await findExtractJob(this.#deps.store.db, id)
      if (job?.status === 'processing') await this.#extract(job, attempt)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      await this.#end(id, { error: reasonOf(error) })
    }
  }

  async #extract(job: ExtractJobRow, { signal }: Attempt): Promise<void> {
    const { languageModel, prices } = this.#deps
    const { id, teamId, apiKeyId, request: plan } = job
    await this.#notify(job, 'started')
    await using pages = new PageScrapes()
    try {
      if (languageModel === undefined)
        throw new BowlineError('EXTRACTION_FAILED', 'The language model is no longer configured')
      const deps = { ...this.#deps, languageModel }
      const answer = await extractData(deps, plan, { teamId, apiKeyId }, { pages, signal })
      const credits = priceOfExtract(prices, answer.pages.length) + answer.searchCredits
      await this.#end(id, { answer, credits }, pages)
    } catch (error) {
      // Another server, or this one after a restart or the outage, tries again.
      if (signal.aborted || isStoreUnavailable(error)) throw error
      await this.#end(id, { error: reasonOf(error) })
    }
  }

  /**
   * Commits the result, its charge, its pages and its webhook event, unless it has already ended.
   */
  async #end(id: string, end: ExtractEnd, pages?: PageScrapes): Promise<void> {
    const { store, billing, onError } = this.#deps
    const charged = await store.db.transaction().execute(async (db) => {
      const credits = await endExtractJob(db, id, end)
      if (credits === undefined) return undefined
      await pages?.save(db)
      // An extraction that cannot be read ends all the same, but its webhook is unknown.
      const job = await orUndefined(findExtractJob(db, id), (error) => onError(error, `ending the extraction ${id}`))
      if (job !== undefined) await this.#notify(job, 'error' in end ? 'failed' : 'completed', { db, end })
      return credits
    })
    if (charged === undefined) return
    billing.noteCharge({ kind: 'extract', credits: charged })
    pages?.markSaved()
  }

  async #notify(
    { id, teamId, request: { webhook, showSources } }: ExtractJobRow,
    event: 'started' | 'completed' | 'failed',
    { db, end }: { readonly db?: Store['db']; readonly end?: ExtractEnd } = {},
  ): Promise<void> {
    if (webhook === undefined) return
    const error = end !== undefined && 'error' in end ? end.error : undefined
    const data = end !== undefined && 'answer' in end ? [{ extractId: id, ...completedData(end, showSources) }] : []
    const content = { success: error === undefined, data, ...(error === undefined ? {} : { error }) }
    const message = { teamId, webhook, event: `extract.${event}`, jobId: id, content, uniqueKey: `${id}.${event}` }
    await this.#deps.webhooks.send(message, db === undefined ? {} : { db })
  }
}

/**
 * Returns when the retention of a job ends: a day after its end, or after its start while it is
 * running.
 */
function endOfLife({ createdAt, finishedAt = createdAt }: ExtractJobRow): Date {
  return new Date(finishedAt.getTime() + jobRetentionMs)
}

function reasonOf(error: unknown): string {
  return isBowlineError(error) ? error.message : 'The extraction failed because of an internal server error'
}

/** Returns the data of the webhook event of a completed extraction, as public receivers read it. */
function completedData(
  { answer: { data, pages }, credits }: Extract<ExtractEnd, { readonly credits: number }>,
  showSources: boolean,
) {
  return {
    success: true,
    data,
    totalUrlsScraped: pages.length,
    ...(showSources ? { sources: { pages } } : {}),
    creditsUsed: credits,
    tokensUsed: credits * tokensPerCredit,
  }
}

function resultOf(job: ExtractJobRow): Pick<ExtractStatusResponse, 'data'> & Partial<ExtractStatusResponse> {
  if (job.answer === undefined) return { data: [], ...(job.error === undefined ? {} : { error: job.error }) }
  const { data, pages, warning } = job.answer
  const { showSources } = job.request
  const creditsUsed = job.credits ?? 0
  return {
    data,
    ...(showSources ? { sources: { pages } } : {}),
    ...(warning === undefined ? {} : { warning }),
    creditsUsed,
    tokensUsed: creditsUsed * tokensPerCredit,
  }
}
