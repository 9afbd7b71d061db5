import { expect, test } from 'vitest'
import { htmlDocument, type Page } from '../../../test/lab/pages/page.ts'
import { startJobFixture } from '../jobs/fixture.ts'

/** A page with a form, which answers what is submitted with a status. */
function form(status: number): Page {
  return ({ request, response }) => {
    if (request.method === 'POST') response.writeHead(status, { 'retry-after': '1', 'content-type': 'text/html' })
    else response.setHeader('content-type', 'text/html')
    response.end(htmlDocument('Form', `<form method="post"><button>Send</button></form><p>${request.method}</p>`))
  }
}

test('actions are performed once, whatever the status of the page that they lead to', async () => {
  const proxyEnhanced = 'http://127.0.0.1:9'
  await using fixture = await startJobFixture(
    'PostgreSQL',
    { proxyEnhanced },
    { '/login': form(401), '/order': form(429) },
  )
  const { lab, site, start, ended } = fixture
  const actions = [
    { type: 'click', selector: 'button' },
    { type: 'wait', selector: 'p' },
  ]

  const { body } = await lab.api('POST', '/v2/scrape', { url: site.url('/login'), actions, maxAge: 0 })
  const job = await ended(await start('/v2/batch/scrape', { urls: [site.url('/order')], actions, maxAge: 0 }))

  expect(body['data']).toMatchObject({ markdown: expect.stringContaining('POST'), metadata: { statusCode: 401 } })
  expect(job).toMatchObject({ status: 'completed', completed: 1, data: [{ metadata: { statusCode: 429 } }] })
  const sent = site.requests.all.filter(({ method }) => method === 'POST').map(({ path }) => path)
  expect(sent).toEqual(['/login', '/order'])
})
