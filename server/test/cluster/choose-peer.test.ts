import { describe, expect, test } from 'vitest'
import { choosePeer, type NodeLoad } from '../../src/cluster/choose-peer.ts'

const idle = { live: 0, slots: 10, memoryUsed: 0.3, cpuUsed: 0.1 }
const own = { ...idle, id: 'own', isDraining: false }

function peer(id: string, load: Partial<NodeLoad> = {}): NodeLoad {
  return { ...idle, id, ...load }
}

/** Picks the first, then the first of the rest. */
const random = (): number => 0

describe('a new session starts', () => {
  test('on this server while no other is clearly less loaded', () => {
    expect(choosePeer({ ...own, live: 2 }, [peer('a')], { random })).toBeUndefined()
    expect(choosePeer(own, [], { random })).toBeUndefined()
  })

  test.each([
    ['sessions', { live: 3 }],
    ['memory', { memoryUsed: 0.6 }],
    ['processor time', { cpuUsed: 0.4 }],
    ['all three, a little', { live: 1, memoryUsed: 0.4, cpuUsed: 0.2 }],
  ])('on another server when this one uses clearly more %s', (_, load) => {
    expect(choosePeer({ ...own, ...load }, [peer('a')], { random })?.id).toBe('a')
  })

  test('on the less loaded of two others', () => {
    const peers = [peer('a', { memoryUsed: 0.8 }), peer('b', { memoryUsed: 0.4 })]

    expect(choosePeer({ ...own, live: 9 }, peers, { random })?.id).toBe('b')
  })

  test('on different servers, so that none gets all', () => {
    const peers = Array.from({ length: 50 }, (_, index) => peer(`${index}`, { live: index % 3 }))

    const chosen = Array.from({ length: 200 }, () => choosePeer({ ...own, isDraining: true }, peers)?.id)

    expect(new Set(chosen).size).toBeGreaterThan(20)
  })

  test.each([
    ['has no slot', { live: 10 }],
    ['has no memory', { memoryUsed: 0.96 }],
  ])('on another server when this one %s, however busy that is', (_, load) => {
    const busy = peer('a', { live: 9, memoryUsed: 0.94, cpuUsed: 1 })

    expect(choosePeer({ ...own, ...load }, [peer('full', load), busy], { random })?.id).toBe('a')
    expect(choosePeer({ ...own, ...load }, [peer('full', load)], { random })).toBeUndefined()
  })

  test('where its profile is, unless that server is full', () => {
    const busy = { live: 9, cpuUsed: 1 }
    const options = { profileNodeId: 'a', random }

    expect(choosePeer(own, [peer('a', busy), peer('b')], options)?.id).toBe('a')
    expect(choosePeer({ ...own, live: 9 }, [peer('b'), peer('a', { live: 10 })], options)?.id).toBe('b')
    expect(choosePeer({ ...own, ...busy }, [peer('b')], { profileNodeId: 'own', random })).toBeUndefined()
    expect(choosePeer({ ...own, isDraining: true }, [peer('b')], { profileNodeId: 'own', random })?.id).toBe('b')
  })
})
