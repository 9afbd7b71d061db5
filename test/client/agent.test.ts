import { expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { sendJson, startForeignService } from './foreign-service.ts'

test('an agent whose start is aborted is cancelled as soon as its id is known', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  await using service = await startForeignService(({ method }, response) => {
    if (method !== 'POST') return sendJson(response, 200, { success: true })
    stop.abort(reason)
    setImmediate(() => sendJson(response, 200, { success: true, id: 'agent-1' }))
    return true
  })
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  await expect(bowline.agent('Find the heading', {}, { signal: stop.signal })).rejects.toBe(reason)

  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v2/agent',
    'DELETE /v2/agent/agent-1',
  ])
})

test('an agent that is aborted while it is working is cancelled, with the reason of the signal', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  await using service = await startForeignService(({ method }, response) => {
    if (method === 'POST') return sendJson(response, 200, { success: true, id: 'agent-1' })
    if (method === 'DELETE') return sendJson(response, 200, { success: true })
    // The client pauses before it asks again.
    setTimeout(() => stop.abort(reason), 50)
    return sendJson(response, 200, {
      success: true,
      status: 'processing',
      model: 'spark-1-pro',
      expiresAt: '2030-01-01T00:00:00.000Z',
      creditsUsed: 0,
    })
  })
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })

  await expect(bowline.agent('Find the heading', {}, { signal: stop.signal })).rejects.toBe(reason)

  expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/v2/agent/agent-1' })
})
