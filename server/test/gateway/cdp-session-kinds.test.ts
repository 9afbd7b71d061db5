import { expect, test } from 'vitest'
import type { CdpEvent } from '../../src/cdp/protocol.ts'
import { CdpSessionKinds } from '../../src/gateway/cdp-session-kinds.ts'

const megabyte = 1024 * 1024

test('commands for a frame of unknown kind wait, up to 64 MB of them', () => {
  let setKind: (targetId: string, kind: 'web' | 'internal') => void = () => undefined
  const released: number[] = []
  const targetKinds = {
    kindOf: () => 'unknown' as const,
    isInternalUrl: () => false,
    onChange: (listener: typeof setKind) => {
      setKind = listener
      return () => undefined
    },
  }
  using kinds = new CdpSessionKinds(targetKinds, (commands) => released.push(...commands.map(({ id }) => id)))
  const attach = (sessionId: string): void =>
    kinds.track({
      method: 'Target.attachedToTarget',
      params: { sessionId, targetInfo: { targetId: sessionId, type: 'iframe', url: '' } },
    } as CdpEvent)
  const hold = (id: number, sessionId: string): string =>
    kinds.hold({ id, method: 'Runtime.evaluate', sessionId }, 30 * megabyte)
  attach('A')
  attach('B')

  const before = [hold(1, 'A'), hold(2, 'B'), hold(3, 'A')]
  setKind('A', 'web')

  expect(before).toEqual(['held', 'held', 'full'])
  expect(released).toEqual([1])
  expect([hold(4, 'B'), hold(5, 'B')]).toEqual(['held', 'full'])
})
