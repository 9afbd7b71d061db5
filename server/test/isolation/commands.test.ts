import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectCdp, type CdpMessage, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { leaveOnlyPage } from '../../../test/lab/only-page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { addressCommands } from './protocol.ts'

const file = 'file:///etc/passwd'
const forbidden = [file, `view-source:${file}`, 'chrome://version', 'devtools://devtools/bundled/inspector.html']

/** Code by which a page tries to access a file. */
const waysOfPages = {
  'a new window': `window.open('${file}')`,
  'its location': `location.href = '${file}'`,
  'a replaced location': `location.replace('view-source:${file}')`,
  'a link': `{ const link = document.createElement('a'); link.href = '${file}'; document.body.append(link); link.click() }`,
  'a link to a new tab': `{ const link = document.createElement('a'); link.href = '${file}'; link.target = '_blank'
    document.body.append(link); link.click() }`,
  'a form': `{ const form = document.createElement('form'); form.action = '${file}'; document.body.append(form); form.submit() }`,
  'a frame': `{ const frame = document.createElement('iframe'); frame.src = '${file}'; document.body.append(frame) }`,
  'an object': `{ const object = document.createElement('object'); object.data = '${file}'; document.body.append(object) }`,
  'a javascript: URL': `location.href = "javascript:location.href='${file}'"`,
  'a refresh': `document.head.innerHTML = '<meta http-equiv=refresh content="0;url=${file}">'`,
  fetch: `fetch('${file}').then((answer) => answer.text()).then((text) => document.body.append(text)).catch(() => {})`,
}

// Without bubblewrap, so that the file exists.
describe.each(['shell', 'chromium'] as const)('no command allows a client of %s to', (kind) => {
  let undo: AsyncDisposableStack
  let site: Site
  let lab: Lab
  let id: string
  let cdpUrl: string
  let cdp: CdpSocket
  let page: string

  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite())
    lab = undo.use(await startLab({ browser: kind, isolation: 'uid' }))
    const session = await lab.createSession()
    id = session.id
    cdpUrl = session.cdpUrl
  })
  afterAll(async () => undo.disposeAsync())

  // Each has its own client and page.
  beforeEach(async () => {
    cdp = await connectCdp(cdpUrl)
    page = await cdp.attachToPage()
  })
  afterEach(async () => {
    await cdp[Symbol.asyncDispose]()
    await leaveOnlyPage(cdpUrl)
  })

  const targets = async (): Promise<readonly { targetId: string; url: string; type: string }[]> =>
    (await cdp.call('Target.getTargets')).result?.['targetInfos']

  const evaluate = async (expression: string, more: object = {}): Promise<unknown> => {
    const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true, ...more }
    return (await cdp.call('Runtime.evaluate', params, page)).result?.['result'].value
  }

  /** Fails if a file or an internal page of the browser is open in any target. */
  const expectNothingShown = async (tab = page): Promise<void> => {
    const open = (await targets()).filter(({ url }) =>
      /^(file|view-source|chrome|devtools|chrome-untrusted):/.test(url),
    )
    const { result } = await cdp.call('DOMSnapshot.captureSnapshot', { computedStyles: [] }, tab)
    expect(open).toEqual([])
    expect(JSON.stringify(result)).not.toContain('root:')
  }

  const settle = async (ms = 300): Promise<unknown> => evaluate(`new Promise((done) => setTimeout(done, ${ms}))`)

  test('open a file or a page of the browser, in any URL parameter', async () => {
    const commands = addressCommands()
    expect(commands.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['Page.navigate', 'Target.createTarget', 'Fetch.continueRequest']),
    )
    for (const address of forbidden) {
      for (const { method, paramsFor } of commands) {
        const answer = await cdp.call(method, paramsFor(address), page)
        expect(JSON.stringify(answer), method).not.toContain('root:')
        await cdp.call(method, paramsFor(address))
      }
    }

    await expectNothingShown()
  })

  test.each(['about:blank', 'data:text/html,<p>data</p>', 'site'])('read a file with code in %s', async (where) => {
    await cdp.call('Page.navigate', { url: where === 'site' ? site.url('/') : where }, page)

    // One after another in the same page, which none of them may leave.
    for (const [way, code] of Object.entries(waysOfPages)) {
      await evaluate(`void (() => { ${code} })()`)
      await settle(100)
      expect(await evaluate('location.href'), way).toMatch(/^(?:about:blank|data:|http:)/)
    }

    await settle()
    const tabs = (await targets()).filter(({ type }) => type === 'page')
    for (const { targetId } of tabs) {
      const attached = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
      await expectNothingShown(String(attached.result?.['sessionId']))
    }
  })

  test('open an uploaded file by dropping it on a page, from where it could open every file', async () => {
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/octet-stream' }
    const upload = await lab.api('POST', `/v2/browser/${id}/files?name=page.html`, '<p>dropped</p>', headers)
    await cdp.call('Page.navigate', { url: site.url('/') }, page)
    const data = { items: [], files: [upload.body['path']], dragOperationsMask: 1 }
    const drop = async (type: string): Promise<CdpMessage> =>
      cdp.call('Input.dispatchDragEvent', { type, x: 5, y: 5, data }, page)

    const errors = [await drop('dragEnter'), await drop('dragOver'), await drop('drop')].map(
      ({ error }) => error?.message,
    )
    await settle()

    // Full Chromium blocks the file itself.
    const refused = expect.stringContaining('files cannot be dragged in the headless shell')
    expect(errors).toEqual(Array(3).fill(kind === 'shell' ? refused : undefined))
    await expect.poll(async () => (await targets()).filter(({ url }) => url.startsWith('file:'))).toEqual([])
  })

  test('read a file with code in an isolated world with universal access', async () => {
    await cdp.call('Page.navigate', { url: site.url('/') }, page)
    const { result } = await cdp.call('Page.getFrameTree', {}, page)
    const frameId = result?.['frameTree'].frame.id
    const fixture = await cdp.call('Page.createIsolatedWorld', { frameId, grantUniveralAccess: true }, page)
    const contextId = fixture.result?.['executionContextId']

    const fetched = await evaluate(`fetch('${file}').then((answer) => answer.text()).catch(String)`, { contextId })
    await evaluate(waysOfPages['a new window'], { contextId })
    await evaluate(waysOfPages['a frame'], { contextId })
    await settle()

    expect(fetched).toContain('Failed to fetch')
    await expectNothingShown()
  })

  test('read a file from page content that it sets', async () => {
    const { result } = await cdp.call('Page.getFrameTree', {}, page)
    const frameId = result?.['frameTree'].frame.id
    const html = `<iframe src="${file}"></iframe><object data="${file}"></object><script>open('${file}')</script>`
    await cdp.call('Page.setDocumentContent', { frameId, html }, page)
    await settle()
    await expectNothingShown()

    await cdp.call('Page.addScriptToEvaluateOnNewDocument', { source: `window.open('${file}')` }, page)
    await cdp.call('Page.navigate', { url: site.url('/') }, page)
    await settle()
    await expectNothingShown()
  })

  test.each(['Fetch.fulfillRequest', 'Fetch.continueResponse', 'Fetch.continueRequest'])(
    'request a file with %s',
    async (method) => {
      const requestStage = method === 'Fetch.continueResponse' ? 'Response' : 'Request'
      await cdp.call('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage }] }, page)
      const navigated = cdp.call('Page.navigate', { url: site.url('/') }, page)
      await expect.poll(() => cdp.events.some((event) => event.method === 'Fetch.requestPaused')).toBe(true)
      const requestId = cdp.events.find((event) => event.method === 'Fetch.requestPaused')?.params?.['requestId']
      const redirect = { responseCode: 302, responseHeaders: [{ name: 'Location', value: file }] }

      await cdp.call(method, { requestId, ...(method === 'Fetch.continueRequest' ? { url: file } : redirect) }, page)
      await cdp.call('Fetch.disable', {}, page)
      await navigated

      await expectNothingShown()
    },
  )

  test('write a download outside the folder of the session', async () => {
    for (const downloadPath of ['/etc', '/var/tmp', lab.dataDir, '../../..']) {
      await cdp.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath, eventsEnabled: true })
      await evaluate(`{ const link = document.createElement('a'); link.download = 'planted.txt'
        link.href = URL.createObjectURL(new Blob(['planted'])); link.click() }`)
    }

    await expect
      .poll(async () => (await lab.api('GET', `/v2/browser/${id}/files`)).body['files'].length)
      .toBeGreaterThanOrEqual(1)
    const planted = ['/etc', '/var/tmp', lab.dataDir].filter((folder) => existsSync(`${folder}/planted.txt`))
    expect(planted).toEqual([])
  })

  // The server refuses these commands without sending them to a browser.
  if (kind === 'chromium') return

  test('open the developer tools, which can navigate anywhere', async () => {
    const { result } = await cdp.call('Target.getTargets')
    const targetId = result?.['targetInfos'][0].targetId

    expect((await cdp.call('Target.openDevTools', { targetId })).error?.message).toContain('not allowed')
    await expectNothingShown()
  })

  test('open a file with a nested command', async () => {
    const { result } = await cdp.call('Target.getTargets')
    const targetId = result?.['targetInfos'][0].targetId
    const attached = await cdp.call('Target.attachToTarget', { targetId, flatten: false })
    const inner = { id: 1, method: 'Page.navigate', params: { url: file } }
    const message = JSON.stringify(inner)

    const answer = await cdp.call('Target.sendMessageToTarget', {
      sessionId: attached.result?.['sessionId'],
      message,
    })

    expect(answer.error?.message).toContain('not allowed')
    await expectNothingShown()
  })

  test('give a page a file that was not uploaded to the session', async () => {
    await cdp.call('Page.navigate', { url: 'data:text/html,<input type=file>' }, page)
    const { result } = await cdp.call('Runtime.evaluate', { expression: `document.querySelector('input')` }, page)
    const objectId = result?.['result'].objectId

    for (const path of ['/etc/passwd', `${lab.dataDir}/api-key`, '/browser/profile/Preferences']) {
      const answer = await cdp.call('DOM.setFileInputFiles', { files: [path], objectId }, page)
      expect(answer.error?.message).toContain("not among the session's uploaded files")
    }
    expect(await evaluate(`document.querySelector('input').files.length`)).toBe(0)
  })
})
