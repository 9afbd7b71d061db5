import { expect, test } from 'vitest'
import { read, startPoolWorld } from './world.ts'

test('a source is closed when an item ends the run, and when the run ends while it looks for the next one', async () => {
  await using world = await startPoolWorld()
  const closed: string[] = []
  const source = async function* (name: string, next: Promise<unknown>): AsyncGenerator<string> {
    try {
      yield 'first'
      await next
      yield 'second'
    } finally {
      closed.push(name)
    }
  }
  const key = (item: string): string => {
    if (item === 'second') throw new Error('no key')
    return item
  }
  const left = Promise.withResolvers<void>()

  await expect(world.bowline.pool().run(source('broken', Promise.resolve()), String, { key }).done()).rejects.toThrow(
    'no key',
  )
  for await (const _ of world.bowline.pool().run(source('left', left.promise), String)) break
  left.resolve()

  await expect.poll(() => closed).toEqual(['broken', 'left'])
})

test('an item that cannot be added leaves no gap in the order', async () => {
  await using world = await startPoolWorld()
  const numbers = Array.from({ length: 400 }, (_, index) => index)
  const work = (number: number, { add }: { readonly add: (number: number) => boolean }): number => {
    if (number === 0) expect(() => add(-1)).toThrow('no such number')
    return number
  }
  const session = (number: number): object => {
    if (number < 0) throw new Error('no such number')
    return {}
  }

  expect(await read(world.bowline.pool({ order: 'input' }).run(numbers, work, { session }))).toEqual(numbers)
})

test('a profile goes from a session that waits to one with other options', async () => {
  await using world = await startPoolWorld()

  const run = world.bowline
    .pool({ size: 2, price: { hour: 0, minimum: 2 } })
    .run([300, 600], (ttl) => ttl, { session: (ttl) => ({ profile: { name: 'ann' }, ttl }) })

  expect(await read(run)).toEqual([300, 600])
})
