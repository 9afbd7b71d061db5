import type { BulkErrors, BulkStatusQuery, BulkStatusResponse } from 'bowline/contract/bulk'
import type { Jobs } from '../jobs/jobs.ts'
import type { Job } from '../jobs/plan.ts'
import { readJobStatus } from './job-status.ts'
import type { Call } from './register.ts'

interface OneJob {
  readonly params: { readonly id: string }
}

/** Handlers of the routes of a started job. */
export interface JobHandlers {
  readonly get: (input: OneJob & { readonly query: BulkStatusQuery }, call: Call) => Promise<BulkStatusResponse>
  readonly cancel: (
    input: OneJob,
    call: Call,
  ) => Promise<{ readonly success: true; readonly status: 'cancelled'; readonly message: string }>
  readonly errors: (input: OneJob, call: Call) => Promise<BulkErrors>
}

/**
 * Creates the handlers for jobs of one kind. Without a kind they accept any job, because v1 clients
 * look up batches under `/crawl`.
 */
export function jobHandlers(jobs: Jobs, kind?: Job['kind']): JobHandlers {
  const ref = ({ params: { id } }: OneJob, { key }: Call) => ({ id, teamId: key.teamId, kind })
  return {
    get: async (input, call) => {
      const job = await jobs.find(ref(input, call))
      const { baseUrl, apiVersion: version } = call
      return (await readJobStatus(jobs, job, { baseUrl, version, query: input.query })).status
    },
    cancel: async (input, call) => {
      await jobs.cancel(ref(input, call))
      return { success: true, status: 'cancelled', message: 'The job was cancelled. Pages already scraped are kept.' }
    },
    errors: async (input, call) => jobs.errors(ref(input, call)),
  }
}
