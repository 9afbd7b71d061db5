import { expect, test } from 'vitest'
import type { CdpIncoming } from './channel-client.ts'
import { routePipe } from '../../src/cdp/router.ts'
import { isInternalUrl, guardInternalPages } from '../../src/cdp/internal-pages.ts'

test.each([
  'file:///etc/passwd',
  'FILE:///etc/passwd',
  'chrome://version/',
  'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
  'chrome-untrusted://print/',
  'chrome-search://most-visited/',
  'devtools://devtools/bundled/inspector.html',
  'view-source:https://example.com/',
  'blob:chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/6b3c',
  'filesystem:file:///temporary/x',
  'isolated-app://abc/',
  'edge://settings',
  'about:version',
])('%j is an internal page of the browser', (url) => {
  expect(isInternalUrl(url)).toBe(true)
})

test.each([
  '',
  'about:blank',
  'about:blank#blocked',
  'about:srcdoc',
  'https://example.com/file:///x',
  'data:text/html,chrome://version',
  'blob:https://example.com/6b3c',
  'blob:null/6b3c',
  'filesystem:https://example.com/temporary/x',
  'chrome-error://chromewebdata/',
  'mailto:someone@example.com',
])('%j is a web page', (url) => {
  expect(isInternalUrl(url)).toBe(false)
})

test('a frame is treated as internal if its parent page does not respond in time', async () => {
  let say = (_message: CdpIncoming): void => {}
  const router = routePipe({
    send: (text) => {
      const { id, method } = JSON.parse(text) as { id: number; method: string }
      // A busy page can be attached to, but does not respond.
      const result = method === 'Target.attachToTarget' ? { sessionId: 'S' } : {}
      if (method !== 'Page.getFrameTree') queueMicrotask(() => say({ id, result }))
      return true
    },
    onMessage: (listener) => {
      say = (message) => listener(Buffer.from(JSON.stringify(message)))
    },
    onDrain: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    closed: new Promise(() => undefined),
    close: () => undefined,
  })
  const watch = await guardInternalPages(router, { hasInternalFrames: true, responseTimeoutMs: 50 })
  const decided = new Promise((resolve) => void watch.onChange((targetId, kind) => resolve([targetId, kind])))
  const targetInfo = { targetId: 'F', type: 'iframe', url: '', parentId: 'P', parentFrameId: 'P' }

  say({ method: 'Target.targetCreated', params: { targetInfo } })

  expect(watch.kindOf('F')).toBe('unknown')
  expect(await decided).toEqual(['F', 'internal'])
})
