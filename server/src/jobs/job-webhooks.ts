import type { Kysely } from 'kysely'
import type { Document } from 'bowline/contract/document'
import type { JobPlan } from './job-plan.ts'
import type { JobPageRow } from './job-page-queries.ts'
import type { Database } from '../store/schema.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import { submissionOf, type Job } from './plan.ts'
import { showDocument } from './show-document.ts'

/**
 * Sends webhook events of jobs, exactly one per event, written in the transaction of that event.
 */
export class JobWebhooks {
  readonly #webhooks: Pick<Webhooks, 'send' | 'assertPermitted'>

  constructor(webhooks: Pick<Webhooks, 'send' | 'assertPermitted'>) {
    this.#webhooks = webhooks
  }

  async started(db: Kysely<Database>, job: Job): Promise<void> {
    await this.#send(db, job, { event: 'started', key: 'started', data: [] })
  }

  async ended(db: Kysely<Database>, job: Job, error?: string): Promise<void> {
    const event = error === undefined ? 'completed' : 'failed'
    // A batch completes again after pages were added to it.
    await this.#send(db, job, { event, key: `${event}:${job.plan.submissions.length}`, data: [], error })
  }

  async pageCompleted(db: Kysely<Database>, job: Job, page: JobPageRow, document: Document): Promise<void> {
    const data = [showDocument(document, submissionOf(job, page.round))]
    await this.#send(db, job, { event: 'page', key: `page:${page.position}`, data })
  }

  async pageFailed(db: Kysely<Database>, job: Job, page: JobPageRow, error: string): Promise<void> {
    const data = [{ metadata: { sourceURL: page.sourceUrl ?? page.url, scrapeId: page.scrapeId, error } }]
    await this.#send(db, job, { event: 'page', key: `page:${page.position}`, data, error })
  }

  /** Throws EGRESS_REFUSED if the address of the webhook of a new job is refused. */
  async assertPermitted({ webhook }: Pick<JobPlan, 'webhook'>): Promise<void> {
    await this.#webhooks.assertPermitted(webhook)
  }

  async #send(
    db: Kysely<Database>,
    job: Job,
    message: {
      readonly event: string
      readonly key: string
      readonly data: readonly unknown[]
      readonly error?: string | undefined
    },
  ): Promise<void> {
    const { webhook, submissions } = job.plan
    if (webhook === undefined) return
    const { event, key, data, error } = message
    await this.#webhooks.send(
      {
        teamId: job.teamId,
        webhook,
        event: `${job.kind}.${event}`,
        jobId: job.id,
        content: { success: error === undefined, data, error, auditMetadata: submissions[0]?.request.auditMetadata },
        uniqueKey: `${job.id}:${key}`,
        keepsPayload: !submissions.some(({ request }) => request.zeroDataRetention),
      },
      { db },
    )
  }
}
