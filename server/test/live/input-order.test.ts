import { expect, test } from 'vitest'
import { InputOrder } from '../../src/live/input-order.ts'

test('input waits for the steps before it, and a step for the input before it', async () => {
  const order = new InputOrder()
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const step = Promise.withResolvers<void>()
  const log = (name: string) => async (): Promise<void> => void done.push(name)

  const all = [
    order.send(async () => {
      await first.promise
      done.push('first')
    }),
    order.run(async () => {
      done.push('copy starts')
      await step.promise
      done.push('copy ends')
    }),
    order.send(log('second')),
    order.run(log('another copy')),
    order.send(log('third')),
  ]
  first.resolve()
  await all[0]
  step.resolve()
  await Promise.all(all)

  expect(done).toEqual(['first', 'copy starts', 'copy ends', 'second', 'another copy', 'third'])
})

test('a step that never ends does not hold up input for ever', async () => {
  const order = new InputOrder()
  let isSent = false
  let isLate = false
  void order.run(async (late) => {
    late.addEventListener('abort', () => {
      isLate = true
    })
    await new Promise(() => undefined)
  })

  await order.send(async () => {
    isSent = true
  })

  expect([isSent, isLate]).toEqual([true, true])
})
