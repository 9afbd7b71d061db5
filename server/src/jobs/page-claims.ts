import { createBatcher } from '../kit/create-batcher.ts'
import type { Store } from '../store/store.ts'
import { claimJobPages, type JobPageRow } from './job-page-queries.ts'

/** A number of pages of a job that a worker can take on. */
interface Claim {
  readonly jobId: string
  readonly holder: string
  readonly limit: number
}

/** Claims pages of jobs. Workers of a job that claim at the same time share a statement. */
export class PageClaims {
  readonly #claim: (claim: Claim) => Promise<readonly JobPageRow[]>

  constructor({ db }: Pick<Store, 'db'>) {
    this.#claim = createBatcher(async (claims: readonly Claim[]) => {
      const pages: JobPageRow[] = []
      for (const [jobId, some] of Map.groupBy(claims, (each) => each.jobId)) {
        const holders = some.flatMap(({ holder, limit }) => Array.from({ length: limit }, () => holder))
        pages.push(...(await claimJobPages(db, jobId, { holders })))
      }
      return pages
    })
  }

  /** Claims up to `limit` pages during which few servers have crashed, ordered by position. */
  async claim(claim: Claim): Promise<readonly JobPageRow[]> {
    const pages = await this.#claim(claim)
    return pages.filter(({ jobId, holder }) => jobId === claim.jobId && holder === claim.holder)
  }
}
