import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreateSessionOptions } from '../../../src/contract.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => lab[Symbol.asyncDispose]())

/** Five seconds for the browser to return its cookies, and a margin for a busy machine. */
const longestMs = 12_000

const kinds: readonly (readonly [string, CreateSessionOptions])[] = [
  ['has nothing to save', {}],
  ['has a profile to save', { profile: { name: 'hung' } }],
  ['keeps its files', { keepFiles: true }],
  ['is recorded', { record: true }],
]

test.each(kinds)('DELETE bills a session that %s at once although its browser hangs', async (_, options) => {
  const session = await lab.createSession(options)
  const [pid] = browserPids(lab.dataDir)
  process.kill(-pid!, 'SIGSTOP')
  const startMs = performance.now()

  const { status, body } = await lab.api('DELETE', `/v2/browser/${session.id}`)

  expect(performance.now() - startMs).toBeLessThan(longestMs)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { success: true, creditsBilled: expect.any(Number), sessionDurationMs: expect.any(Number) },
  })
  await expect.poll(() => browserPids(lab.dataDir)).toEqual([])
})
