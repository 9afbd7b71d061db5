import { createBatcher } from '../kit/create-batcher.ts'
import type { Store } from '../store/store.ts'
import { claimJobPages, type JobPageRow } from './job-page-queries.ts'

/** A number of pages of a job that a worker can take on. */
interface Claim {
  readonly jobId: string
  readonly holder: string
  readonly limit: number
}

/** The claimed pages of a job, or the error of its statement. */
type JobClaims = PromiseSettledResult<readonly JobPageRow[]>

/** Claims pages of jobs. Workers of a job that claim at the same time share a statement. */
export class PageClaims {
  readonly #claim: (claim: Claim) => Promise<ReadonlyMap<string, JobClaims>>

  constructor({ db }: Pick<Store, 'db'>) {
    // One statement per job, so that a failure is not retried for the others: pages that they had
    // already claimed would never be scraped.
    this.#claim = createBatcher(async (claims: readonly Claim[]) => {
      const jobs = Map.groupBy(claims, ({ jobId }) => jobId)
      const claimed = [...jobs].map(async ([jobId, some]) => {
        const holders = some.flatMap(({ holder, limit }) => Array.from({ length: limit }, () => holder))
        const [result] = await Promise.allSettled([claimJobPages(db, jobId, { holders })])
        return [jobId, result] as const
      })
      return new Map(await Promise.all(claimed))
    })
  }

  /** Claims up to `limit` pages during which few servers have crashed, ordered by position. */
  async claim(claim: Claim): Promise<readonly JobPageRow[]> {
    const result = (await this.#claim(claim)).get(claim.jobId)
    if (result?.status !== 'fulfilled') throw result?.reason
    return result.value.filter(({ holder }) => holder === claim.holder)
  }
}
