import { deleteOldExtractJobs } from '../store/extract-jobs.ts'
import { jobRetentionMs } from '../store/job-retention.ts'
import { Extracts, type ExtractsDeps } from './extracts.ts'

/** Dependencies of `openExtracts`. */
export interface OpenExtractsDeps extends ExtractsDeps {
  readonly onError: (error: unknown, what: string) => void
}

const sweepMs = 3_600_000

/** Starts processing extractions on this server. `resources` stops it. */
export async function openExtracts(resources: AsyncDisposableStack, deps: OpenExtractsDeps): Promise<Extracts> {
  const timer = setInterval(() => {
    const before = new Date(Date.now() - jobRetentionMs)
    deleteOldExtractJobs(deps.store.db, before).catch((error: unknown) =>
      deps.onError(error, 'deleting old extractions'),
    )
  }, sweepMs).unref()
  resources.defer(() => clearInterval(timer))
  return Extracts.open(deps)
}
