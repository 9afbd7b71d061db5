import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BrowserEmulation } from '../../src/cdp/browser-emulation.ts'
import type { CdpRouter } from '../../src/cdp/router.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A browser in whose process the page `opener` has set the locale, until `release` is called. */
function stubBrowser(): { router: CdpRouter; emit: (event: object) => void; release: () => void; sent: string[] } {
  const listeners: ((event: object) => void)[] = []
  const emit = (event: object): void => listeners.forEach((listener) => listener(event))
  const sent: string[] = []
  let isReleased = false
  const callIn = (cdpSessionId: string) => async (method: string) => {
    if (method === 'Target.attachToBrowserTarget') return { sessionId: 'browser' }
    if (method !== 'Emulation.setLocaleOverride') return {}
    sent.push(cdpSessionId)
    if (cdpSessionId === 'popup' && !isReleased) throw new Error('Another locale override is already in effect')
    return {}
  }
  const onEvent = (listener: (event: object) => void) => listeners.push(listener)
  const router = { call: callIn(''), callIn, onEvent } as unknown as CdpRouter
  return { router, emit, release: () => (isReleased = true), sent }
}

const attached = (sessionId: string): object => ({
  method: 'Target.attachedToTarget',
  sessionId: 'browser',
  params: { sessionId, targetInfo: { targetId: sessionId, type: 'page', url: '' } },
})

test('a popup gets the locale although its process releases that of its closed opener late', async () => {
  const { router, emit, release, sent } = stubBrowser()
  await BrowserEmulation.start({ router }, { languages: ['de-AT'] })
  for (const page of ['opener', 'popup']) emit(attached(page))
  await vi.advanceTimersByTimeAsync(0)

  emit({ method: 'Target.detachedFromTarget', sessionId: 'browser', params: { sessionId: 'opener' } })
  await vi.advanceTimersByTimeAsync(100)
  release()
  await vi.advanceTimersByTimeAsync(60_000)

  // Before and after the end of the opener, after 50 ms, and after 250 ms, which is accepted.
  expect(sent).toEqual(['opener', 'popup', 'popup', 'popup', 'popup'])
})

test('attempts to set a locale end if the process never releases it', async () => {
  const { router, emit, sent } = stubBrowser()
  await BrowserEmulation.start({ router }, { languages: ['de-AT'] })
  for (const page of ['opener', 'popup']) emit(attached(page))
  await vi.advanceTimersByTimeAsync(0)

  emit({ method: 'Target.detachedFromTarget', sessionId: 'browser', params: { sessionId: 'opener' } })
  await vi.advanceTimersByTimeAsync(600_000)

  expect(sent).toHaveLength(2 + 5)
  expect(vi.getTimerCount()).toBe(0)
})
