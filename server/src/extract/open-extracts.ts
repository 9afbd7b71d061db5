import { deleteOldExtractJobs } from '../store/extract-jobs.ts'
import { jobLifeMs } from '../store/job-life.ts'
import { Extracts, type ExtractsParts } from './extracts.ts'

/** What extractions are built from. */
export interface OpenExtractsParts extends ExtractsParts {
  readonly onError: (error: unknown, what: string) => void
}

const sweepMs = 3_600_000

/** Builds everything that extracts, into `undo`. */
export async function openExtracts(undo: AsyncDisposableStack, parts: OpenExtractsParts): Promise<Extracts> {
  const timer = setInterval(() => {
    const before = new Date(Date.now() - jobLifeMs)
    deleteOldExtractJobs(parts.store.db, before).catch((error: unknown) =>
      parts.onError(error, 'removing old extractions'),
    )
  }, sweepMs).unref()
  undo.defer(() => clearInterval(timer))
  return Extracts.open(parts)
}
