import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite } from '../../../test/lab/site.ts'

test('the activity has no URLs of scrapes with zeroDataRetention, and no passwords of URLs', async () => {
  await using site = await startSite({
    '/': fixedPage('Home', '<p>Welcome.</p>'),
    '/gone': ({ response }) => void response.destroy(),
  })
  await using lab = await startLab()
  const scrape = async (url: string, options: object = {}) => lab.api('POST', '/v2/scrape', { url, ...options })
  const withPassword = site.url('/').replace('http://', 'http://ann:s3cret@')

  await scrape(site.url('/gone'), { zeroDataRetention: true })
  await scrape(site.url('/'), { zeroDataRetention: true })
  await scrape(withPassword)
  await lab.api('POST', '/v2/batch/scrape', { urls: [withPassword] })

  expect((await lab.api('GET', '/v2/team/activity')).body['data']).toMatchObject([
    { endpoint: 'batch_scrape', target: site.url('/') },
    { endpoint: 'scrape', target: site.url('/') },
    { endpoint: 'scrape', target: null },
    { endpoint: 'scrape', target: null, error: 'SCRAPE_SITE_ERROR' },
  ])
})
