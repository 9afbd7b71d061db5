import type { Logger } from 'pino'
import { countRunningJobs } from '../jobs/job-queries.ts'
import type { Store } from '../store/store.ts'

/** Logs how many batches and crawls are running when a server starts, if there are any. */
export async function logRunningJobs({ db }: Pick<Store, 'db'>, log: Pick<Logger, 'info'>): Promise<void> {
  const jobs = await countRunningJobs(db)
  if (jobs > 0) log.info({ jobs }, 'batches and crawls are running')
}
