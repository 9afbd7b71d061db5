import { afterAll, expect, vi } from 'vitest'

// Files share processes. Fake timers that a file leaves behind stop the servers of the next one.
afterAll(() => {
  const isFake = vi.isFakeTimers()
  vi.useRealTimers()
  expect(isFake, 'this file left fake timers behind: call `vi.useRealTimers()` after its tests').toBe(false)
})
