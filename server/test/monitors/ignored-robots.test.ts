import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { linksTo } from '../map/fixture.ts'
import { createMonitor, runCheck } from './fixture.ts'

test('a crawl target follows redirects that robots.txt disallows only if it ignores robots.txt', async () => {
  await using site = await startSite({
    '/robots.txt': ({ response }) => void response.end('User-agent: *\nDisallow: /closed/\n'),
    '/start': ({ response }) => void response.writeHead(302, { location: '/closed/' }).end(),
    '/closed/': linksTo('/closed/a', '/open'),
    '/closed/a': linksTo(),
    '/open': linksTo(),
  })
  await using lab = await startLab()
  const pathsOf = async (ignoreRobotsTxt: boolean): Promise<readonly string[]> => {
    const crawlOptions = { limit: 10, crawlEntireDomain: true, ignoreRobotsTxt }
    const target = { type: 'crawl', url: site.url('/start'), crawlOptions }
    const { id } = await createMonitor(lab.api, { targets: [target] })
    const { pages = [] } = await runCheck(lab.api, id)
    return pages.map(({ url }: { url: string }) => new URL(url).pathname).toSorted()
  }

  const [ignoring, honouring] = [await pathsOf(true), await pathsOf(false)]

  expect(ignoring).toEqual(['/closed/', '/closed/a', '/open', '/start'])
  expect(honouring).toEqual([])
})
