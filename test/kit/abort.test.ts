import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { abortable, mergeSignals } from '../../src/kit/abort.ts'

test.each([
  ['before the wait', 0],
  ['during the wait', 1],
])('work that fails after an abort %s causes no unhandled rejection', async (_when, turns) => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', listen)
  onTestFinished(() => void process.off('unhandledRejection', listen))
  const work = Promise.withResolvers<never>()
  const controller = new AbortController()
  if (turns === 0) controller.abort(new Error('no longer needed'))

  const waiting = abortable(work.promise, controller.signal)
  controller.abort(new Error('no longer needed'))

  await expect(waiting).rejects.toThrow('no longer needed')
  work.reject(new Error('the work failed'))
  await turn()
  expect(unhandled).toEqual([])
})

test('a merged signal aborts with the reason of the first signal that aborts', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const merged = mergeSignals(first.signal, undefined, second.signal)

  expect(merged.aborted).toBe(false)
  second.abort(new Error('second'))
  expect(merged.reason).toEqual(new Error('second'))
  first.abort(new Error('first'))
  expect(merged.reason).toEqual(new Error('second'))
})

test('a single signal is not wrapped', () => {
  const { signal } = new AbortController()

  expect(mergeSignals(signal)).toBe(signal)
  expect(mergeSignals(undefined, signal)).toBe(signal)
  expect(mergeSignals(undefined, undefined)).toBeUndefined()
})
