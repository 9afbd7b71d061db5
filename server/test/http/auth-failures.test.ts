import { expect, test } from 'vitest'
import { createAuthFailureLog } from '../../src/http/auth-failures.ts'

test('failed authentication is logged at once, then once a minute for each address, with how often it failed', () => {
  const lines: unknown[] = []
  const note = createAuthFailureLog((facts) => void lines.push(facts))

  for (const nowMs of [0, 1000, 2000, 60_000]) note('10.0.0.1', nowMs)
  note('10.0.0.2', 3000)

  expect(lines).toEqual([
    { audit: 'auth.failed', address: '10.0.0.1', failures: 1 },
    { audit: 'auth.failed', address: '10.0.0.1', failures: 3 },
    { audit: 'auth.failed', address: '10.0.0.2', failures: 1 },
  ])
})
