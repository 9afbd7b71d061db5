import { expect, test } from 'vitest'
import { createPeerTimeoutCheck } from '../../src/cluster/peer-timeout.ts'

function beats(...seconds: readonly number[]): readonly boolean[] {
  const isSilenceDeath = createPeerTimeoutCheck(0)
  return seconds.map((second) => isSilenceDeath(second * 1000))
}

test('nodes without heartbeats are dead while the own heartbeats succeed', () => {
  expect(beats(5, 10, 15, 25, 40)).toEqual([true, true, true, true, true])
})

test('after a gap in its own heartbeats, such as a store outage, a node waits 30 s before it declares others dead', () => {
  expect(beats(5, 10, 46, 51, 65, 76)).toEqual([true, true, false, false, false, true])
})

test('repeated store outages make no node count as dead', () => {
  expect(beats(30, 50, 70, 105, 130)).toEqual([false, false, false, false, false])
})
