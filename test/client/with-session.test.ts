import { expect, test } from 'vitest'
import { startForeignService } from './foreign-service.ts'
import { Bowline } from '../../src/index.ts'

test('withSession resolves to the result and the bill, and deletes the session', async () => {
  await using service = await startForeignService()
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  const outcome = await bowline.withSession({ ttl: 60 }, async ({ session }) => session.id.length)

  expect(outcome).toMatchObject({ result: 9, sessionId: 'session-1', sessionDurationMs: 1234, creditsBilled: 2 })
  expect(service.deleted).toEqual(['session-1'])
})
