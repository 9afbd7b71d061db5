import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairProcess } from '../../src/kit/fair-process.ts'

interface Job {
  readonly what: 'echo' | 'hang' | 'crash' | 'exhaust'
  readonly text?: string
}

const program = new URL('./fair-process-program.ts', import.meta.url)

function open(limitMs = 20_000, idleMs?: number): FairProcess<Job, string> {
  return new FairProcess<Job, string>(program, { heapMb: 64, limitMs, idleMs })
}

test('runs the jobs of all teams in one process, one at a time', async () => {
  await using jobs = open()

  const answers = await Promise.all(['a', 'b', 'c'].map(async (text) => jobs.run(text, { what: 'echo', text })))

  expect(answers).toEqual(['a', 'b', 'c'].map((text) => `${jobs.pid} ${text}`))
})

test.each(['crash', 'exhaust'] as const)('replaces a process after a job that ends it: %s', async (what) => {
  await using jobs = open()

  expect(await jobs.run('team', { what })).toBeUndefined()

  expect(await jobs.run('team', { what: 'echo', text: 'next' })).toBe(`${jobs.pid} next`)
})

test('kills a process that hangs', async () => {
  await using jobs = open(300)

  expect(await jobs.run('team', { what: 'hang' })).toBeUndefined()

  expect(jobs.pid).toBeUndefined()
})

test('kills an idle process, and starts another for the next job', async () => {
  await using jobs = open(20_000, 50)
  await jobs.run('team', { what: 'echo' })

  await expect.poll(() => jobs.pid).toBeUndefined()

  expect(await jobs.run('team', { what: 'echo', text: 'next' })).toMatch(/^\d+ next$/)
})

test('ends its process when it is disposed, also during a job', async () => {
  const jobs = open()
  await jobs.run('team', { what: 'echo' })
  const { pid = 0 } = jobs
  const running = jobs.run('team', { what: 'hang' })
  await sleep(50)

  await jobs[Symbol.asyncDispose]()

  expect(await running).toBeUndefined()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(await jobs.run('team', { what: 'echo' })).toBeUndefined()
})
