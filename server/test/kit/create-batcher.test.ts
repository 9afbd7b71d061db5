import { expect, test } from 'vitest'
import { createBatcher } from '../../src/kit/create-batcher.ts'

test('calls during a batch form the next batch', async () => {
  const batches: (readonly string[])[] = []
  const first = Promise.withResolvers<void>()
  const add = createBatcher(async (items: readonly string[]) => {
    batches.push(items)
    if (batches.length === 1) await first.promise
  })
  const all = ['a', 'b', 'c'].map(add)

  first.resolve()
  await Promise.all(all)

  expect(batches).toEqual([['a'], ['b', 'c']])
})

test('when a batch fails, only the callers of failing items get an error', async () => {
  const add = createBatcher(async (items: readonly string[]) => {
    await Promise.resolve()
    if (items.includes('bad')) throw new Error(`no ${items.join()}`)
  })

  const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'c'].map(add))

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[2]).toMatchObject({ reason: new Error('no bad') })
})
