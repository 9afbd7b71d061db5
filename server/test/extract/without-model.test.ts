import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'

test('a server without a language model rejects extractions and names the flags that configure one', async () => {
  await using lab = await startLab()

  const { status, body } = await lab.api('POST', '/v2/extract', { urls: ['a.example'], prompt: 'x' })

  expect([status, body['code']]).toEqual([400, 'FORMAT_UNAVAILABLE'])
  expect(body['hint']).toContain('--llm-url')
})
