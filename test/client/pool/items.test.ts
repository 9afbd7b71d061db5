import { expect, test, vi } from 'vitest'
import { read, startPoolFixture } from './fixture.ts'

test('a source is closed when the run ends, even while it produces the next item', async () => {
  await using fixture = await startPoolFixture()
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

  await expect(fixture.bowline.pool().run(source('broken', Promise.resolve()), String, { key }).done()).rejects.toThrow(
    'no key',
  )
  for await (const _ of fixture.bowline.pool().run(source('left', left.promise), String)) break
  left.resolve()

  await expect.poll(() => closed).toEqual(['broken', 'left'])
})

test('an item that cannot be added leaves no gap in the input order', async () => {
  await using fixture = await startPoolFixture()
  const numbers = Array.from({ length: 400 }, (_, index) => index)
  const work = (number: number, { add }: { readonly add: (number: number) => boolean }): number => {
    if (number === 0) expect(() => add(-1)).toThrow('no such number')
    return number
  }
  const session = (number: number): object => {
    if (number < 0) throw new Error('no such number')
    return {}
  }

  expect(await read(fixture.bowline.pool({ order: 'input' }).run(numbers, work, { session }))).toEqual(numbers)
})

test('an idle session gives up its profile for a session with other options', async () => {
  await using fixture = await startPoolFixture()

  const run = fixture.bowline
    .pool({ size: 2, price: { hour: 0, minimum: 2 } })
    .run([300, 600], (ttl) => ttl, { session: (ttl) => ({ profile: { name: 'ann' }, ttl }) })

  expect(await read(run)).toEqual([300, 600])
})

test('an item that becomes ready during dispatch is not lost', async () => {
  await using fixture = await startPoolFixture()
  const now = performance.now.bind(performance)
  let looks = 0
  // Simulates a machine so busy that time passes between two reads of the clock.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 0.3 * looks++)
  using _ = { [Symbol.dispose]: () => clock.mockRestore() }
  const numbers = Array.from({ length: 30 }, (_, index) => index)

  const run = fixture.bowline
    .pool({ size: 1, retries: { page: 1, delayMs: 1 }, price: { hour: 0, minimum: 2 } })
    .run(numbers, (number, { attempt }) => {
      if (attempt === 1) throw new Error('mine')
      return number
    })

  expect(new Set(await read(run))).toEqual(new Set(numbers))
  expect(fixture.service.created).toHaveLength(1)
})
