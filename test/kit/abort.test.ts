import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { abortable } from '../../src/kit/abort.ts'

test.each([
  ['before it waits', 0],
  ['while it waits', 1],
])('work that fails after the caller has gone %s harms nobody', async (_when, turns) => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', listen)
  onTestFinished(() => void process.off('unhandledRejection', listen))
  const work = Promise.withResolvers<never>()
  const controller = new AbortController()
  if (turns === 0) controller.abort(new Error('the caller has gone'))

  const waiting = abortable(work.promise, controller.signal)
  controller.abort(new Error('the caller has gone'))

  await expect(waiting).rejects.toThrow('the caller has gone')
  work.reject(new Error('the work failed'))
  await turn()
  expect(unhandled).toEqual([])
})
