import { expect, test } from 'vitest'
import { createPeerTimeoutCheck } from '../../src/cluster/peer-timeout.ts'

function beats(...seconds: readonly number[]): readonly boolean[] {
  const isSilenceDeath = createPeerTimeoutCheck(0)
  return seconds.map((second) => isSilenceDeath(second * 1000))
}

test('silence of others is their death while a node is heard itself', () => {
  expect(beats(5, 10, 15, 25, 40)).toEqual([true, true, true, true, true])
})

test('after a silence of its own, as when the store was away, a node gives the others half a minute', () => {
  expect(beats(5, 10, 46, 51, 65, 76)).toEqual([true, true, false, false, false, true])
})

test('a store that goes away again and again makes no node dead', () => {
  expect(beats(30, 50, 70, 105, 130)).toEqual([false, false, false, false, false])
})
