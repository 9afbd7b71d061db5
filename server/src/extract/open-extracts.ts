import { deleteOldExtractJobs } from '../store/extract-jobs.ts'
import { jobRetentionMs } from '../store/job-retention.ts'
import { Extracts, type ExtractsDeps } from './extracts.ts'

/** What extractions are built from. */
export interface OpenExtractsDeps extends ExtractsDeps {
  readonly onError: (error: unknown, what: string) => void
}

const sweepMs = 3_600_000

/** Builds everything that extracts, into `undo`. */
export async function openExtracts(undo: AsyncDisposableStack, deps: OpenExtractsDeps): Promise<Extracts> {
  const timer = setInterval(() => {
    const before = new Date(Date.now() - jobRetentionMs)
    deleteOldExtractJobs(deps.store.db, before).catch((error: unknown) =>
      deps.onError(error, 'removing old extractions'),
    )
  }, sweepMs).unref()
  undo.defer(() => clearInterval(timer))
  return Extracts.open(deps)
}
