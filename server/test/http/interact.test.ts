import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let lab: Lab
beforeAll(async () => {
  const body = '<main><h1>Order</h1><button onclick="this.textContent = `Ordered`">Order</button><input></main>'
  site = fixture.use(
    await startSite({
      '/order': fixedPage('Order', body),
      '/prices.csv': ({ response }) => void response.writeHead(200, { 'content-type': 'text/csv' }).end('item,price'),
    }),
  )
  lab = fixture.use(await startLab())
})
afterAll(async () => fixture.disposeAsync())

const scrape = async (options: object = {}): Promise<string> => {
  const answer = await lab.api('POST', '/v2/scrape', { url: site.url('/order'), maxAge: 0, ...options })
  return answer.body['data'].metadata.scrapeId
}
const interact = async (id: string, body: object): Promise<Answer> => lab.api('POST', `/v2/scrape/${id}/interact`, body)
const stop = async (id: string): Promise<Answer> => lab.api('DELETE', `/v2/scrape/${id}/interact`)

test('the first interaction with a scrape repeats it, and further ones continue in its session', async () => {
  const actions = [
    { type: 'click', selector: 'button' },
    { type: 'click', selector: 'input' },
    { type: 'write', text: 'two' },
    { type: 'executeJavascript', script: 'document.title = "scripted"' },
  ]
  const id = await scrape({ actions })

  const state = '[await page.textContent("button"), await page.inputValue("input"), await page.title()]'
  const calls = await Promise.all([interact(id, { code: state }), interact(id, { code: 'const kept = 1; kept' })])
  const next = await interact(id, { code: 'throw new Error(`kept ${kept}`)' })
  const session = await lab.api('GET', `/v2/browser/${next.body['sessionId']}`)
  const { body: activity } = await lab.api('GET', '/v2/team/activity?endpoint=interact')
  const stopped = [await stop(id), await stop(id)]
  const ended = await interact(id, { code: '1' })

  expect(calls[0]?.body).toMatchObject({
    success: true,
    result: '["Ordered","two","Order"]',
    sessionId: next.body['sessionId'],
    cdpUrl: session.body['cdpUrl'],
    liveViewUrl: expect.stringContaining('/live'),
    exitCode: 0,
  })
  expect(next).toMatchObject({
    status: 200,
    body: { success: false, exitCode: 1, error: expect.stringMatching(/kept 1/) },
  })
  expect(activity['data'].map((call: { id: string }) => call.id)).toEqual([next.body['sessionId']])
  expect(Date.parse(session.body['expiresAt']) - Date.parse(session.body['createdAt'])).toBe(600_000)
  expect(stopped.map(({ body }) => [body['success'], body['creditsBilled']])).toEqual([
    [true, 2],
    [true, 2],
  ])
  expect([ended.status, ended.body['code']]).toEqual([410, 'SESSION_ENDED'])
})

test('an interaction runs in a session that the client names', async () => {
  const id = await scrape()
  const session = await lab.createSession()

  const answer = await interact(id, { code: 'page.url()', existingSessionId: session.id })
  await lab.api('DELETE', `/v2/browser/${session.id}`)

  expect(answer.body).toMatchObject({ success: true, result: 'about:blank', sessionId: session.id })
  expect(await stop(id)).toMatchObject({ status: 404, body: { error: 'Browser session not found.' } })
})

test('a scrape that cannot be repeated is a conflict with the reason, and its session costs nothing', async () => {
  const id = await scrape({ url: site.url('/prices.csv') })

  const answer = await interact(id, { code: '1' })
  const { body } = await lab.api('GET', '/v2/browser')

  expect([answer.status, answer.body['code']]).toEqual([409, 'CONFLICT'])
  expect(answer.body['hint']).toContain(`${site.url('/prices.csv')} is a file`)
  expect(body['sessions'][0]).toMatchObject({ status: 'error', creditsBilled: 0 })
})

test.each([
  ['a prompt without a language model', { prompt: 'Order it' }, 501, /need a language model, and this server has none/],
  ['neither code nor prompt', {}, 400, /Either 'code' or 'prompt' must be provided\./],
])('%s is refused', async (_name, body, status, error) => {
  const answer = await interact('0191e0a2-0000-7000-8000-000000000000', body)

  expect(answer.status).toBe(status)
  expect(answer.body['error']).toMatch(error)
})

test.each([
  ['no-uuid', 400, 'Invalid job ID format. Job ID must be a valid UUID.'],
  ['0191e0a2-0000-7000-8000-000000000000', 404, 'Job not found.'],
])('an interaction with the scrape %s is refused', async (id, status, error) => {
  expect(await interact(id, { code: '1' })).toMatchObject({ status, body: { error } })
})
