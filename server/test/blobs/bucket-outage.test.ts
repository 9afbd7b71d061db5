import { expect, test } from 'vitest'
import { openCuttableBucket } from '../../../test/lab/blob-locations.ts'
import { labS3Credentials } from '../../../test/lab/bucket.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite } from '../../../test/lab/site.ts'

test('while the bucket does not respond, errors say so without its address, and batches wait for it', async () => {
  await using bucket = await openCuttableBucket()
  await using site = await startSite({ '/page': fixedPage('Page', '<h1>Page</h1>') })
  await using lab = await startLab({
    blobs: bucket.address,
    s3AccessKeyId: labS3Credentials.accessKeyId,
    s3SecretAccessKey: labS3Credentials.secretAccessKey,
  })
  const { url, ...options } = { url: site.url('/page'), formats: ['screenshot'], maxAge: 0 }
  bucket.setCut(true)

  const { status, headers, body } = await lab.api('POST', '/v2/scrape', { url, ...options })
  expect({ status, body }).toMatchObject({ status: 503, body: { code: 'STORE_UNAVAILABLE' } })
  expect(headers.get('retry-after')).toBe('2')
  expect(JSON.stringify(body)).not.toContain('127.0.0.1')

  const requestCount = site.requests.all.length
  const { id } = (await lab.api('POST', '/v2/batch/scrape', { urls: [url], ...options })).body
  await expect.poll(() => site.requests.all.length, { timeout: 10_000 }).toBeGreaterThan(requestCount)
  // Longer than the requests are repeated.
  await expect(lab.api('POST', '/v2/scrape', { url, ...options })).resolves.toMatchObject({ status: 503 })
  bucket.setCut(false)

  await expect
    .poll(async () => (await lab.api('GET', `/v2/batch/scrape/${String(id)}`)).body, { timeout: 20_000 })
    .toMatchObject({ status: 'completed', completed: 1 })
}, 60_000)
