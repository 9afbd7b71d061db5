import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Semaphore } from '../../src/kit/semaphore.ts'

test('callers over the limit wait, and get their slots in order', async () => {
  const semaphore = new Semaphore(1)
  const order: string[] = []
  const first = await semaphore.acquire()
  const wait = async (name: string): Promise<Disposable> => {
    const slot = await semaphore.acquire()
    order.push(name)
    return slot
  }
  const [second, third] = [wait('second'), wait('third')]

  await turn()
  expect([semaphore.waiting, order]).toEqual([2, []])
  first[Symbol.dispose]()
  ;(await second)[Symbol.dispose]()
  await third
  expect(order).toEqual(['second', 'third'])
})

test('a slot that is released twice is free once', async () => {
  const semaphore = new Semaphore(1)
  const first = await semaphore.acquire()
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using _ = await semaphore.acquire()

  const next = semaphore.acquire(AbortSignal.abort(new Error('gone')))
  await expect(next).rejects.toThrow('gone')
  void semaphore.acquire()
  expect(semaphore.waiting).toBe(1)
})

test('a caller that leaves the queue takes no slot, even at the moment it is its turn', async () => {
  const semaphore = new Semaphore(1)
  const first = await semaphore.acquire()
  const leaving = new AbortController()
  const second = semaphore.acquire(leaving.signal)
  await turn()
  leaving.abort(new Error('gone'))
  first[Symbol.dispose]()

  await expect(second).rejects.toThrow('gone')
  using _ = await semaphore.acquire()
  expect(semaphore.waiting).toBe(0)
})

test('a limit that grows admits waiting callers at the next release', async () => {
  let limit = 1
  const semaphore = new Semaphore(() => limit)
  const first = await semaphore.acquire()
  const others = [semaphore.acquire(), semaphore.acquire()]
  limit = 2
  first[Symbol.dispose]()

  await Promise.all(others)
  expect(semaphore.waiting).toBe(0)
})
