import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { startModel } from '../../../test/lab/language-model.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

test('an extraction whose server is killed is completed by the next one, and billed once', async () => {
  let isSilent = true
  await using folder = await temporaryFolder()
  await using site = await startSite({ '/boat': fixedPage('Boat', '<h1>The boat</h1>') })
  await using model = await startModel(() => (isSilent ? undefined : '{"boat":1}'))
  const killed = await startServerProcess({ dataDir: folder.path, flags: ['--llm-url', model.url] })
  const { body } = await killed.api('POST', '/v2/extract', { urls: [site.url('/boat')], prompt: 'x' })
  await model.whenAsked(1)

  killed.kill('SIGKILL')
  await killed.exited
  isSilent = false
  await using lab = await startLab({ dataDir: folder.path, llmUrl: model.url })

  await expect
    .poll(async () => (await lab.api('GET', `/v2/extract/${body['id']}`)).body, { timeout: 60_000, interval: 200 })
    .toMatchObject({ status: 'completed', data: { boat: 1 }, creditsUsed: 20 })
  expect(model.questions).toHaveLength(2)
})

test('a server without a language model rejects extractions and names the flags that configure one', async () => {
  await using lab = await startLab()

  const { status, body } = await lab.api('POST', '/v2/extract', { urls: ['a.example'], prompt: 'x' })

  expect([status, body['code']]).toEqual([400, 'FORMAT_UNAVAILABLE'])
  expect(body['hint']).toContain('--llm-url')
})
