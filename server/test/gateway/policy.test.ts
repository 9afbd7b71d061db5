import { describe, expect, test } from 'vitest'
import type { CdpSessionKind } from '../../src/gateway/cdp-session-kinds.ts'
import { parseCommand } from '../../src/cdp/parse-command.ts'
import { judgeCommand, type PolicyContext } from '../../src/gateway/policy.ts'
import type { Verdict } from '../../src/gateway/verdict.ts'

const context: PolicyContext = {
  downloadsDir: '/run/s1/downloads',
  uploadsDir: '/run/s1/uploads',
  opensDroppedFiles: false,
  kindOfSession: (id = 'BROWSER') =>
    ({ S: 'web', T: 'web', INTERNAL: 'internal', BROWSER: 'browser', UNKNOWN: 'unknown' })[id] as
      | CdpSessionKind
      | undefined,
  kindOfTarget: (id) => (id === 'INTERNAL' ? 'internal' : 'web'),
}

function judge(method: string, params: Record<string, unknown> = {}): Verdict {
  return judgeCommand({ id: 1, method, params }, context)
}

function passedParams(verdict: Verdict): unknown {
  return verdict.kind === 'pass' ? verdict.command.params : verdict
}

const navigations: readonly (readonly [method: string])[] = [
  ['Page.navigate'],
  ['Target.createTarget'],
  ['Fetch.continueRequest'],
  ['Network.continueInterceptedRequest'],
  ['Network.loadNetworkResource'],
]

describe.each(navigations)('%s', (method) => {
  test.each([
    'https://example.com/',
    'http://127.0.0.1:8080/x?y#z',
    'about:blank',
    'about:blank#blocked',
    'data:text/html,hello',
    'blob:https://example.com/6b3c',
    'http://a host with spaces/',
    '',
  ])('may navigate to %j', (url) => {
    expect(judge(method, { url })).toMatchObject({ kind: 'pass' })
  })

  test.each([
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    '  file:///etc/passwd',
    '\u0000file:///etc/passwd',
    'fi\nle:///etc/passwd',
    'view-source:file:///etc/passwd',
    'view-source:https://example.com',
    'chrome://version',
    'devtools://devtools/bundled/inspector.html',
    'chrome-extension://abc/x.html',
    'filesystem:https://example.com/temporary/x',
    'javascript:location="file:///etc/passwd"',
    'about:version',
    'ftp://example.com/',
    '/etc/passwd',
    'file://a host with spaces/etc/passwd',
  ])('may not navigate to %j', (url) => {
    expect(judge(method, { url })).toMatchObject({ kind: 'refuse' })
  })

  test('refuses a URL that is not a string', () => {
    expect(judge(method, { url: ['file:///etc/passwd'] })).toMatchObject({ kind: 'refuse' })
  })
})

test.each(['mailto:ada@example.com', 'TEL:+44', 'sms:1'])('Page.navigate may abort at %j', (url) => {
  expect(judge('Page.navigate', { url })).toMatchObject({ kind: 'pass' })
})

test.each(['__proto__', 'constructor', 'toString', 'valueOf.constructor'])(
  'the unknown method %s is passed to the browser',
  (method) => {
    expect(judge(method)).toEqual({ kind: 'pass', command: { id: 1, method, params: {} } })
  },
)

test('the error of a refused navigation contains the URL and the allowed schemes', () => {
  expect(judge('Page.navigate', { url: 'file:///etc/passwd' })).toEqual({
    kind: 'refuse',
    message: 'Page.navigate to "file:///etc/passwd" is not allowed: use http, https, about:blank, data or blob',
  })
})

test.each(['Browser.setDownloadBehavior', 'Page.setDownloadBehavior'])(
  '%s is rewritten to the downloads folder of the session',
  (method) => {
    const verdict = judge(method, { behavior: 'allowAndName', downloadPath: '/etc/cron.d', eventsEnabled: true })

    expect(passedParams(verdict)).toEqual({
      behavior: 'allowAndName',
      downloadPath: '/run/s1/downloads',
      eventsEnabled: true,
    })
  },
)

test.each(['Browser', 'Page'])('downloads allowed with %s.setDownloadBehavior are named by their guid', (domain) => {
  const allowed = judge(`${domain}.setDownloadBehavior`, { behavior: 'allow', downloadPath: '/tmp' })
  const withoutPath = judge(`${domain}.setDownloadBehavior`, { behavior: 'allow' })
  const denied = judge(`${domain}.setDownloadBehavior`, { behavior: 'deny' })

  expect(passedParams(allowed)).toEqual({ behavior: 'allowAndName', downloadPath: '/run/s1/downloads' })
  expect(passedParams(withoutPath)).toEqual(passedParams(allowed))
  expect(passedParams(denied)).toEqual({ behavior: 'deny' })
})

describe('files set on a page', () => {
  test('may be uploads of the session', () => {
    expect(judge('DOM.setFileInputFiles', { files: ['/run/s1/uploads/a.txt'], backendNodeId: 3 })).toMatchObject({
      kind: 'pass',
    })
  })

  test.each([
    '/etc/passwd',
    '/run/s1/uploads/../../../etc/passwd',
    '/run/s1/uploads',
    '/run/s1/uploads-2/x',
    'a.txt',
    7,
  ])('may not be %j', (file) => {
    expect(judge('DOM.setFileInputFiles', { files: ['/run/s1/uploads/a.txt', file] })).toMatchObject({ kind: 'refuse' })
    expect(judge('Input.dispatchDragEvent', { data: { files: [file] } })).toMatchObject({ kind: 'refuse' })
  })
})

test.each([
  { opensDroppedFiles: true, files: ['/run/s1/uploads/a.html'], kind: 'refuse' },
  { opensDroppedFiles: true, files: [], kind: 'pass' },
  { opensDroppedFiles: true, files: undefined, kind: 'pass' },
  { opensDroppedFiles: false, files: ['/run/s1/uploads/a.html'], kind: 'pass' },
])('dragging files is refused if the browser would open them: %j', ({ opensDroppedFiles, files, kind }) => {
  const command = { id: 1, method: 'Input.dispatchDragEvent', params: { type: 'drop', data: { items: [], files } } }

  expect(judgeCommand(command, { ...context, opensDroppedFiles })).toMatchObject({ kind })
})

describe('a URL dragged into a page', () => {
  const drag = (data: unknown, mimeType = 'text/uri-list'): Verdict =>
    judge('Input.dispatchDragEvent', {
      type: 'drop',
      data: { items: ['text/plain', mimeType].map((each) => ({ mimeType: each, data })) },
    })

  test.each([
    'https://example.com/',
    '# two\r\nhttp://a.example/\r\nabout:blank\r\n',
    'javascript:void(0)',
    'mailto:ada@example.com',
    'tel:+44',
    '',
  ])('may be %j', (data) => {
    expect(drag(data)).toMatchObject({ kind: 'pass' })
  })

  test.each([
    'file:///etc/passwd',
    ' FILE:///etc/passwd',
    '#\nhttp://a.example/\nfile:///etc/passwd',
    'chrome://version',
    'javascript:void(0)\nfile:///etc/passwd',
    7,
  ])('may not be %j', (data) => {
    expect(drag(data)).toMatchObject({ kind: 'refuse' })
    expect(drag(data, 'Text/URI-List')).toMatchObject({ kind: 'refuse' })
  })

  test('is checked without its title, and not in types of programs', () => {
    expect(drag('https://a.example/\nfile: a title', 'text/x-moz-url')).toMatchObject({ kind: 'pass' })
    expect(drag('https://a.example/\nTitle\nfile:///etc/passwd', 'text/x-moz-url')).toMatchObject({ kind: 'refuse' })
    expect(drag('{"id":7}', 'application/x-url')).toMatchObject({ kind: 'pass' })
  })

  test('is not checked in plain text', () => {
    expect(drag('file:///etc/passwd', 'text/plain')).toMatchObject({ kind: 'pass' })
  })
})

test.each([
  'Browser.crash',
  'Browser.getBrowserCommandLine',
  'Browser.getHistogram',
  'Browser.getHistograms',
  'Memory.getAllTimeSamplingProfile',
  'Memory.getBrowserSamplingProfile',
  'Memory.getSamplingProfile',
  'Memory.setPressureNotificationsSuppressed',
  'Extensions.loadUnpacked',
  'SystemInfo.getInfo',
  'SystemInfo.getProcessInfo',
  'Target.exposeDevToolsProtocol',
  'Target.openDevTools',
  'Target.setRemoteLocations',
  'Tethering.bind',
])('%s is refused', (method) => {
  expect(judge(method)).toEqual({ kind: 'refuse', message: `${method} is not allowed in a Bowline session` })
})

test.each(['Tracing.start', 'Security.setIgnoreCertificateErrors', 'Memory.getDOMCounters'])(
  '%s, which drivers use, is allowed',
  (method) => {
    expect(judge(method)).toMatchObject({ kind: 'pass' })
  },
)

describe('the path of FileSystem.getDirectory', () => {
  const read = (pathComponents: unknown): string =>
    judge('FileSystem.getDirectory', { bucketFileSystemLocator: { storageKey: 'x', pathComponents } }).kind

  test.each([[[]], [['a']], [['a', 'b.c', '...']]])('may be %j', (steps) => {
    expect(read(steps)).toBe('pass')
  })

  test.each([[['..']], [['a', '..']], [['.']], [['']], [['a/b']], [['a\\b']], ['a'], [[1]]])(
    'may not be %j',
    (steps) => {
      expect(read(steps)).toBe('refuse')
    },
  )
})

test('a browser context cannot bypass CORS', () => {
  expect(
    judge('Target.createBrowserContext', { originsWithUniversalNetworkAccess: ['https://example.com'] }),
  ).toMatchObject({ kind: 'refuse' })
  expect(judge('Target.createBrowserContext', { disposeOnDetach: true })).toMatchObject({ kind: 'pass' })
})

describe('a command inside Target.sendMessageToTarget', () => {
  const send = (command: object): Verdict =>
    judge('Target.sendMessageToTarget', { sessionId: 'S', message: JSON.stringify(command) })

  test('is checked by the same policy', () => {
    expect(send({ id: 1, method: 'Page.navigate', params: { url: 'file:///etc/passwd' } })).toMatchObject({
      kind: 'refuse',
    })
    expect(send({ id: 1, method: 'Browser.close' })).toMatchObject({ kind: 'refuse' })
    expect(send({ id: 1, method: 'Runtime.evaluate', params: { expression: '1' } })).toMatchObject({ kind: 'pass' })
  })

  test('is checked at every depth', () => {
    const inner = { id: 1, method: 'Page.navigate', params: { url: 'file:///etc/passwd' } }
    const outer = {
      id: 2,
      method: 'Target.sendMessageToTarget',
      params: { sessionId: 'T', message: JSON.stringify(inner) },
    }

    expect(send(outer)).toMatchObject({ kind: 'refuse' })
  })

  test('is rewritten like a direct command', () => {
    const verdict = send({
      id: 1,
      method: 'Page.setDownloadBehavior',
      params: { behavior: 'allow', downloadPath: '/etc' },
    })

    expect(JSON.stringify(passedParams(verdict))).toContain('/run/s1/downloads')
  })

  test('is refused if it is malformed', () => {
    expect(judge('Target.sendMessageToTarget', { sessionId: 'S', message: '[]' })).toMatchObject({ kind: 'refuse' })
  })
})

describe('an internal target of the browser', () => {
  const judgeInside = (method: string, params: Record<string, unknown> = {}): Verdict =>
    judgeCommand({ id: 1, method, params, sessionId: 'INTERNAL' }, context)

  test.each(['Target.attachToTarget', 'Target.autoAttachRelated'])('cannot be attached to with %s', (method) => {
    expect(judge(method, { targetId: 'INTERNAL' })).toMatchObject({ kind: 'refuse' })
    expect(judge(method, { targetId: 'page' })).toMatchObject({ kind: 'pass' })
  })

  test.each([
    'Runtime.evaluate',
    'Runtime.callFunctionOn',
    'Page.navigate',
    'Page.createIsolatedWorld',
    'Page.setDocumentContentNow',
    'Network.getResponseBody',
    'Fetch.fulfillRequest',
    'Target.sendMessageToTarget',
    'constructor',
  ])('refuses %s', (method) => {
    expect(judgeInside(method)).not.toMatchObject({ kind: 'pass' })
  })

  test.each(['Page.enable', 'Runtime.enable', 'Page.getFrameTree', 'Runtime.runIfWaitingForDebugger'])(
    'accepts %s, which drivers need to continue',
    (method) => {
      expect(judgeInside(method)).toMatchObject({ kind: 'pass' })
    },
  )

  test('cannot be intercepted by Fetch.enable on the browser', () => {
    const enable = (sessionId?: string): Verdict =>
      judgeCommand({ id: 1, method: 'Fetch.enable', params: {}, sessionId }, context)

    expect([enable().kind, enable('BROWSER').kind, enable('S').kind]).toEqual(['refuse', 'refuse', 'pass'])
  })

  test('acknowledges driver settings without applying them', () => {
    const script = judgeInside('Page.addScriptToEvaluateOnNewDocument', { source: 'chrome.tabs.create({})' })

    expect(script).toEqual({ kind: 'respond', result: { identifier: '0' } })
    expect(judgeInside('Fetch.enable')).toEqual({ kind: 'respond', result: {} })
  })

  test.each([
    [{ sessionId: 'INTERNAL' }],
    [{ sessionId: 'UNKNOWN' }],
    [{ sessionId: 'BROWSER' }],
    [{ sessionId: 'of another client' }],
    [{ targetId: 'T' }],
    [{ sessionId: 'S', targetId: 'INTERNAL' }],
  ])('refuses Target.sendMessageToTarget to %j', (receiver) => {
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: '1' } })

    expect(judge('Target.sendMessageToTarget', { ...receiver, message })).toMatchObject({ kind: 'refuse' })
  })
})

test.each([
  '',
  '[]',
  '{}',
  '{"id":"1","method":"a.b"}',
  '{"id":1}',
  '{"id":1,"method":"a.b","params":1}',
  '{"id":1.5,"method":"a.b"}',
])('%j is not a command', (text) => {
  expect(parseCommand(text)).toBeUndefined()
})

test('only the checked value of a duplicate key is passed on', () => {
  const command = parseCommand('{"id":1,"method":"Browser.crash","method":"Page.enable"}')

  expect(command).toEqual({ id: 1, method: 'Page.enable', params: undefined, sessionId: undefined })
})
