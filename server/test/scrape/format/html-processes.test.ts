import { afterAll, expect, test } from 'vitest'
import { HtmlProcesses } from '../../../src/scrape/format/html-processes.ts'

function job(html: string) {
  return { html, url: 'https://example.com/', formats: ['markdown' as const], options: {} }
}

const workers = new HtmlProcesses({ processes: 1 })
const shortTimeoutPool = new HtmlProcesses({ processes: 1, timeoutMs: 50 })
afterAll(async () => {
  await workers[Symbol.asyncDispose]()
  await shortTimeoutPool[Symbol.asyncDispose]()
})

test('many pages are processed by few processes', async () => {
  const results = await Promise.all(['one', 'two', 'three'].map(async (text) => workers.run(job(`<p>${text}</p>`))))

  expect(results.map(({ markdown }) => markdown)).toEqual(['one\n', 'two\n', 'three\n'])
})

test('a page that takes too long is aborted with its process, and the next one gets a new process', async () => {
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

test('a process with a large heap is replaced when idle', async () => {
  await using idling = new HtmlProcesses({ processes: 1, idleMs: 10 })
  await idling.run({ ...job('<p>some text here</p>'.repeat(80_000)), options: { onlyMainContent: false } })
  const [pid] = idling.pids

  await expect.poll(() => idling.pids).toEqual([])

  expect((await idling.run(job('<p>next</p>'))).markdown).toBe('next\n')
  expect(idling.pids).not.toEqual([pid])
})

test('a page whose processing exceeds the memory in one operation costs a process, not the server', async () => {
  // A busy machine takes longer than the time limit to fill the memory.
  await using patient = new HtmlProcesses({ processes: 1, timeoutMs: 200_000 })
  await expect(patient.run(job(`<p>${'*'.repeat(20_000_000)}`))).rejects.toThrow('ran out of memory')

  expect((await patient.run(job('<p>next</p>'))).markdown).toBe('next\n')
})

test('a process that was killed while it was idle is replaced', async () => {
  await workers.run(job('<p>first</p>'))
  const [pid = 0] = workers.pids
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => workers.pids).toEqual([])

  expect((await workers.run(job('<p>next</p>'))).markdown).toBe('next\n')
})

test('texts are compared in a process, which returns the runs only', async () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}`).join('\n')

  const { runs, isCoarse } = await workers.compare(`a\n${before}\nz`, 'a\nb\nz')

  expect([...runs]).toEqual([0, 1, 1, 20_000, 2, 1, 0, 1])
  expect(isCoarse).toBe(true)
  await expect(shortTimeoutPool.compare(before, before.replaceAll('old', 'new'))).rejects.toThrow(
    'took more than 0.05 s',
  )
})
