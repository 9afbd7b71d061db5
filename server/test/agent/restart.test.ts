import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { script, startModel } from '../../../test/lab/language-model.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite } from '../../../test/lab/site.ts'

test('an agent continues after a restart, and its earlier steps are not billed again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-agent-'))
  const asked = Promise.withResolvers<void>()
  let isFirst = true
  await using site = await startSite({
    '/fleet': fixedPage('Fleet', '<h1>The red boat</h1>'),
    '/hang': (exchange) => {
      asked.resolve()
      if (!isFirst) void fixedPage('Back', '<h1>Back again</h1>')(exchange)
    },
  })
  const calls = (path: string) => ({ calls: [['scrape', { url: site.url(path) }]] as const })
  const steps = [
    calls('/fleet'),
    { calls: [['browser_navigate', { url: site.url('/fleet') }]] as const },
    calls('/hang'),
  ]
  await using model = await startModel(
    script(...steps, (outputs) => (outputs.at(-1)?.includes('interrupted') === true ? calls('/hang') : 'Done.'), {
      calls: [['finish', { data: { outputs: 1 } }]],
    }),
  )
  const options = { dataDir: folder.path, llmUrl: model.url }
  let id: string
  {
    await using lab = await startLab(options)
    id = (await lab.api('POST', '/v2/agent', { prompt: 'Look' })).body['id']
    await asked.promise
    isFirst = false
  }

  await using lab = await startLab(options)
  const path = `/v2/agent/${id}`
  await expect.poll(async () => (await lab.api('GET', path)).body['status'], { timeout: 20_000 }).toBe('completed')

  const { body } = await lab.api('GET', path)
  const { body: trace } = await lab.api('GET', `${path}/trace`)
  const types = trace['events'].map(({ type }: { type: string }) => type)
  const { body: usage } = await lab.api('GET', '/v2/team/credit-usage/historical')
  // Five messages, two pages and a session.
  expect(body).toMatchObject({ data: { outputs: 1 }, creditsUsed: 5 * 4 + 2 + 2 })
  expect(usage['periods'][0].creditsUsed).toBe(body['creditsUsed'])
  expect(types.filter((type: string) => type === 'run.started')).toHaveLength(1)
  expect(types).toContain('progress.reported')
  expect(new Set(trace['events'].map(({ eventId }: { eventId: string }) => eventId)).size).toBe(types.length)
})
