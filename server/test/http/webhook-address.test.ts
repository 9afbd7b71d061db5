import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

const page = 'http://127.0.0.1:9/page'
const monitor = { name: 'prices', schedule: { cron: '0 * * * *' }, targets: [{ type: 'scrape', urls: [page] }] }
const starts = {
  '/v2/browser': { ttl: 30 },
  '/v2/batch/scrape': { urls: [page] },
  '/v2/crawl': { url: page },
  '/v2/extract': { urls: [page], prompt: 'The price' },
  '/v2/agent': { prompt: 'The price' },
  '/v2/monitor': monitor,
}

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ llmUrl: 'http://127.0.0.1:9/v1' })
})
afterAll(async () => lab[Symbol.asyncDispose]())

describe.each(Object.entries(starts))('POST %s', (path, body) => {
  test.each(['http://10.0.0.1/in', 'https://[::1]:8443/in', 'http://169.254.169.254/'])(
    'refuses the webhook %s, to which nothing could be delivered',
    async (url) => {
      const answer = await lab.api('POST', path, { ...body, webhook: { url } })
      const { host } = new URL(url)

      expect(answer).toMatchObject({ status: 403, body: { code: 'EGRESS_REFUSED' } })
      expect(answer.body['error']).toMatch('The webhook cannot be used: ')
      expect(answer.body['error']).toContain(host.replaceAll(/[[\]]/g, ''))
    },
  )
})

test('a monitor cannot be given such a webhook later, and keeps its own', async () => {
  const webhook = 'http://127.0.0.1:9/in'
  const { body: created } = await lab.api('POST', '/v2/monitor', { ...monitor, webhook })
  const path = `/v2/monitor/${created['data'].id}`

  const changed = await lab.api('PATCH', path, { webhook: 'http://10.0.0.1/in' })
  const { body } = await lab.api('GET', path)

  expect(changed).toMatchObject({ status: 403, body: { code: 'EGRESS_REFUSED' } })
  expect(body['data'].webhook).toMatchObject({ url: webhook })
})
