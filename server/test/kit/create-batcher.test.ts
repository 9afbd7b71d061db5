import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatcher } from '../../src/kit/create-batcher.ts'

test('calls at the same time form a batch, and calls during a batch the next', async () => {
  const batches: (readonly string[])[] = []
  const started = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  const add = createBatcher(async (items: readonly string[]) => {
    batches.push(items)
    started.resolve()
    if (batches.length === 1) await first.promise
  })
  const all = ['a', 'b'].map(add)

  await started.promise
  all.push(...['c', 'd'].map(add))
  first.resolve()
  await Promise.all(all)

  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})

test('calls between two batches wait for the interval and form the next batch', async () => {
  const add = createBatcher(async (items: readonly string[]) => Promise.resolve(items), { intervalMs: 500 })

  const first = await add('a')
  const second = add('b')
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  const third = add('c')

  expect(first).toEqual(['a'])
  expect(await Promise.all([second, third])).toEqual([
    ['b', 'c'],
    ['b', 'c'],
  ])
})

test('a batch starts before the end of the interval once no more calls are expected', async () => {
  const options = { intervalMs: 2 ** 30, expectsMore: (waiting: number) => waiting < 2 }
  const add = createBatcher(async (items: readonly string[]) => Promise.resolve(items), options)

  const first = await add('a')
  const others = await Promise.all([add('b'), add('c')])

  expect(first).toEqual(['a'])
  expect(others).toEqual([
    ['b', 'c'],
    ['b', 'c'],
  ])
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
