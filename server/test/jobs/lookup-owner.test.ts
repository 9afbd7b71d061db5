import { expect, test } from 'vitest'
import { openEgress } from '../../src/egress/egress.ts'
import { PageScraper } from '../../src/jobs/page-scraper.ts'
import { currentLookupOwner } from '../../src/kit/lookup-owner.ts'
import { RobotsRules } from '../../src/map/robots-rules.ts'
import { wholePlan } from './whole-plan.ts'

test('robots.txt is looked up for the team of the job', async () => {
  const lookups = new Set<string>()
  const resolve = async (name: string): Promise<never> => {
    lookups.add(`${name} for ${currentLookupOwner()}`)
    throw new Error('There is no such name')
  }
  await using egress = await openEgress({ resolve, log: { debug: () => undefined, warn: () => undefined } })
  const dispatcher = egress.createDispatcher()
  await using _closed = { [Symbol.asyncDispose]: async () => dispatcher.destroy() }
  const scraper = new PageScraper({
    robots: new RobotsRules(dispatcher),
    honoursRobots: true,
    pageDiscovery: { addSitemapPages: async () => undefined },
  } as never)
  const job = { id: 'job', kind: 'batch_scrape', teamId: 'a', plan: wholePlan({ submissions: [{}] }) }
  const page = { position: 0, round: 0, crashes: 0, url: 'http://site.test/' }

  // There is no database to store the page in.
  await scraper.scrape(job as never, page as never, AbortSignal.timeout(20_000)).catch(() => undefined)

  expect([...lookups]).toEqual(['site.test for a'])
})
