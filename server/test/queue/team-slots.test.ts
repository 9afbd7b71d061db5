import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { createMonitor, runCheck } from '../monitors/fixture.ts'

/** More webhooks, and more other tasks, than all teams together may hold. */
const manyTasks = 40
const fewTasks = 9

let lab: Lab
let site: Site
let model: Model
/** Number of requests of the slow team to the site. None of them gets a response. */
let slowCount = 0
let onSlow = (): void => undefined

const fixture = new AsyncDisposableStack()
beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/fleet': fixedPage('Fleet', '<h1>The red boat</h1>'),
      '/silent': () => {
        slowCount += 1
        onSlow()
      },
    }),
  )
  model = fixture.use(
    await startModel(({ messages }) => (JSON.stringify(messages).includes('Slow team') ? undefined : '{"boats":1}')),
  )
  lab = fixture.use(await startLab({ llmUrl: model.url, llmModel: 'fake' }))
})
afterAll(async () => fixture.disposeAsync())

type Api = (method: string, path: string, body?: unknown) => Promise<Answer>

async function createTeam(): Promise<Api> {
  const name = crypto.randomUUID()
  await lab.api('POST', '/v2/teams', { name, credits: 100_000 })
  const { body } = await lab.api('POST', '/v2/team/keys', { team: name })
  return async (method, path, content) => lab.api(method, path, content, { authorization: `Bearer ${body['key']}` })
}

/** Resolves when the slow team has sent this many requests to the site. */
async function whenSlow(count: number): Promise<void> {
  const reached = Promise.withResolvers<void>()
  slowCount = 0
  onSlow = () => {
    if (slowCount === count) reached.resolve()
  }
  return reached.promise
}

async function repeat(count: number, call: () => Promise<Answer>): Promise<void> {
  for (let index = 0; index < count; index += 1) expect((await call()).status).toBe(200)
}

test('webhooks of a team whose receiver never responds do not delay those of other teams', async () => {
  const [slow, quick] = [await createTeam(), await createTeam()]
  await using receiver = await startReceiver()
  const isSlow = whenSlow(16)
  const urls = Array.from({ length: manyTasks }, (_, index) => site.url(`/fleet?${index}`))
  await slow('POST', '/v2/batch/scrape', { urls, webhook: { url: site.url('/silent'), events: ['page'] } })
  await isSlow

  await quick('POST', '/v2/batch/scrape', {
    urls: [site.url('/fleet')],
    webhook: { url: receiver.url(), events: ['page'] },
  })
  await receiver.whenReceived(1)

  // The others of the slow team are older and still wait.
  expect(slowCount).toBeLessThan(manyTasks)
})

test('checks of a team whose pages never respond do not delay those of other teams', async () => {
  const [slow, quick] = [await createTeam(), await createTeam()]
  const isSlow = whenSlow(4)
  const silent = { targets: [{ type: 'scrape', urls: [site.url('/silent')] }] }
  for (let index = 0; index < fewTasks; index += 1) {
    const { id } = await createMonitor(slow, silent)
    await slow('POST', `/v2/monitor/${id}/run`, {})
  }
  await isSlow

  const { id } = await createMonitor(quick, { targets: [{ type: 'scrape', urls: [site.url('/fleet')] }] })
  const check = await runCheck(quick, id)

  expect(check['status']).toBe('completed')
  expect(slowCount).toBeLessThan(fewTasks)
})

test.each([
  ['extractions', '/v2/extract', { urls: ['/fleet'], schema: { type: 'object' } }],
  ['agents', '/v2/agent', {}],
])('%s of a team for which the model never answers do not delay those of other teams', async (_, path, task) => {
  const [slow, quick] = [await createTeam(), await createTeam()]
  const body = 'urls' in task ? { ...task, urls: [site.url('/fleet')] } : task
  const before = model.questions.length
  await repeat(fewTasks, async () => slow('POST', path, { ...body, prompt: 'Slow team: which boats?' }))
  await model.whenAsked(before + 4)

  const { body: started } = await quick('POST', path, { ...body, prompt: 'Which boats?' })

  const status = async (): Promise<unknown> => (await quick('GET', `${path}/${started['id']}`)).body['status']
  await expect.poll(status, { timeout: 20_000 }).toBe('completed')
})
