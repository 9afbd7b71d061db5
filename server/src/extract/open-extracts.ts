import { runEvery } from '../kit/run-every.ts'
import { databaseTimeAgo } from '../store/database-time.ts'
import { deleteOldExtractJobs } from './extract-job-queries.ts'
import { jobRetentionMs } from '../kit/job-retention.ts'
import { Extracts, type ExtractsDeps } from './extracts.ts'

const sweepMs = 3_600_000

/** Starts processing extractions on this server. `resources` stops it. */
export async function openExtracts(resources: AsyncDisposableStack, deps: ExtractsDeps): Promise<Extracts> {
  const { db } = deps.store
  const sweep = async (): Promise<unknown> => deleteOldExtractJobs(db, await databaseTimeAgo(db, jobRetentionMs))
  resources.use(runEvery(sweepMs, sweep, { onError: (error) => deps.onError(error, 'deleting old extractions') }))
  return Extracts.open(deps)
}
