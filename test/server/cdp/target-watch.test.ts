import { expect, test } from 'vitest'
import { isInternalUrl } from '../../../src/server/cdp/target-watch.ts'

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
])('%j is a page of the browser', (url) => {
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
])('%j is none', (url) => {
  expect(isInternalUrl(url)).toBe(false)
})
