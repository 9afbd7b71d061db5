import { crawlRequest } from '../../../src/contract/crawl.ts'
import type { JobPlan } from '../../src/jobs/job-plan.ts'

/** The parts of a plan that matter to a test. */
export interface PartialPlan {
  readonly submissions: readonly object[]
  readonly maxConcurrency?: number
  readonly crawl?: object
}

/** Fills a plan with the defaults of the API. */
export function wholePlan({ submissions, crawl, ...plan }: PartialPlan): JobPlan {
  const { scrapeOptions: request, ...site } = crawlRequest.parse({ url: 'https://a.example/' })
  return {
    ...plan,
    submissions: submissions.map((each) => ({ request, showsExtract: false, hidesLinks: false, ...each })),
    ...(crawl && { crawl: { ...site, crawlEntireDomain: false, options: {}, ...crawl } }),
  }
}
