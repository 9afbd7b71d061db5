import { expect, test } from 'vitest'
import { describeBill } from '../../src/cli/describe-bill.ts'

test.each([
  [{ sessionDurationMs: 900, creditsBilled: 7 }, '0.9 s, 7 credits'],
  [{ sessionDurationMs: 900 }, '0.9 s, credits not reported'],
  [{ creditsBilled: 0 }, '0 credits'],
  [{}, 'deleted, credits not reported'],
  [
    { profile: { name: 'shop', saveChanges: true, version: 3 } },
    'deleted, credits not reported, profile "shop" saved as version 3',
  ],
])('a bill with the figures %o is printed as "%s"', (figures, text) => {
  expect(describeBill({ sessionId: 'session-1', endedBy: 'return', ...figures })).toBe(`session session-1: ${text}`)
})
