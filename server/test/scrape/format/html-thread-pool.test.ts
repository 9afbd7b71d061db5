import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { HtmlThreadPool } from '../../../src/scrape/format/html-thread-pool.ts'

function job(html: string) {
  return { html, url: 'https://example.com/', formats: ['markdown' as const], options: {} }
}

const workers = new HtmlThreadPool({ threads: 1 })
const shortTimeoutPool = new HtmlThreadPool({ threads: 1, timeoutMs: 50 })
afterAll(async () => {
  await workers[Symbol.asyncDispose]()
  await shortTimeoutPool[Symbol.asyncDispose]()
})

test('many pages are processed by few threads', async () => {
  const results = await Promise.all(['one', 'two', 'three'].map(async (text) => workers.run(job(`<p>${text}</p>`))))

  expect(results.map(({ markdown }) => markdown)).toEqual(['one\n', 'two\n', 'three\n'])
})

test('a page that takes too long is aborted with its thread, and the next one gets a new thread', async () => {
  const slow = job('<p>much</p>'.repeat(1_000_000))
  const waiting = Promise.allSettled([shortTimeoutPool.run(slow), shortTimeoutPool.run(slow)])

  const outcomes = await waiting

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await workers.run(job('<p>still here</p>'))).markdown).toBe('still here\n')
})

test('a page that no caller waits for is aborted', async () => {
  await expect(workers.run(job('<p>x</p>'.repeat(500_000)), { signal: AbortSignal.timeout(20) })).rejects.toThrow(
    'timeout',
  )

  expect((await workers.run(job('<p>next</p>'))).markdown).toBe('next\n')
})

test('a thread with a large heap is replaced when idle', async () => {
  await using idling = new HtmlThreadPool({ threads: 1, idleMs: 10 })
  const started = once(process, 'worker') as Promise<[Worker]>
  const large = idling.run({ ...job('<p>some text here</p>'.repeat(80_000)), options: { onlyMainContent: false } })
  const [thread] = await started
  const ended = once(thread, 'exit')
  await large

  await ended

  expect((await idling.run(job('<p>next</p>'))).markdown).toBe('next\n')
})
