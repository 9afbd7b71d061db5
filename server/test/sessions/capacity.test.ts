import { expect, test } from 'vitest'
import { sessionsThatFit } from '../../src/sessions/capacity.ts'

test.each([
  ['shell', 4e9, 8, 14],
  ['chromium', 4e9, 8, 6],
  ['shell', 2e9, 8, 5],
  ['shell', 16e9, 8, 74],
  ['shell', 16e9, 1000, 57],
  ['shell', 0.5e9, 8, 1],
] as const)(
  'sessions get the memory that scrapes do not need: %s with %d bytes and %d pages',
  (kind, memoryBytes, maxPages, sessions) => {
    expect(sessionsThatFit(kind, { maxPages, memoryBytes })).toBe(sessions)
  },
)
