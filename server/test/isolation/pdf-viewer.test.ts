import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromium } from 'playwright-core'
import { connect } from 'puppeteer-core'
import { openBrowserHost } from '../../src/browsers/host.ts'
import type { CdpIncoming } from '../cdp/channel-client.ts'
import { connectCdp, type CdpMessage, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { leaveOnlyPage } from '../../../test/lab/only-page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openDataDir } from '../browsers/browser-fixture.ts'
import { openRawBrowser } from './raw-browser.ts'

const objects = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
]
const pdf = `%PDF-1.4\n${objects.map((text, index) => `${index + 1} 0 obj${text}endobj\n`).join('')}trailer<</Root 1 0 R>>`
const pdfUrl = `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`
const viewer = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html'
const styleSheet = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/pdf_embedder.css'
const viewerUrl = /^chrome-extension:/

function open(url: string): string {
  return `new Promise((done) => chrome.tabs.create({ url: ${JSON.stringify(url)} }, () => done('asked')))`
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

describe('a client of full Chromium that opens a PDF', () => {
  let undo: AsyncDisposableStack
  let lab: Lab
  let site: Site
  let cdpUrl: string
  let cdp: CdpSocket

  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(
      await startSite({
        '/paper.pdf': ({ response }) => void response.setHeader('content-type', 'application/pdf').end(pdf),
        '/viewer': (exchange) => sendHtml(exchange, 'A frame', `<iframe src="${viewer}"></iframe>`),
        '/style': (exchange) => sendHtml(exchange, 'A frame', ''),
        '/paper': (exchange) => sendHtml(exchange, 'A paper', '<embed src="/paper.pdf" type="application/pdf">'),
      }),
    )
    // Without bubblewrap, so that files can be read.
    lab = undo.use(await startLab({ browser: 'chromium', isolation: 'uid' }))
    cdpUrl = (await lab.createSession()).cdpUrl
  })
  afterAll(async () => undo.disposeAsync())
  beforeEach(async () => {
    cdp = await connectCdp(cdpUrl)
  })
  afterEach(async () => {
    await cdp[Symbol.asyncDispose]()
    await leaveOnlyPage(cdpUrl)
  })

  const targets = async (): Promise<readonly TargetInfo[]> =>
    (await cdp.call('Target.getTargets', { filter: [{}] })).result?.['targetInfos']

  const findViewer = async (): Promise<TargetInfo> => {
    await expect.poll(async () => (await targets()).some(({ url }) => viewerUrl.test(url))).toBe(true)
    return (await targets()).find(({ url }) => viewerUrl.test(url))!
  }

  const openTab = async (params: object = {}): Promise<string> => {
    const { result } = await cdp.call('Target.createTarget', { url: 'about:blank', ...params })
    const attached = await cdp.call('Target.attachToTarget', { targetId: result?.['targetId'], flatten: true })
    return String(attached.result?.['sessionId'])
  }

  const attachments = (): readonly CdpMessage[] =>
    cdp.events.filter(({ method, params }) => {
      return method === 'Target.attachedToTarget' && params?.['targetInfo'].type === 'iframe'
    })

  /** Opens a PDF whose viewer is attached automatically, and expects that no code runs in it. */
  const runCodeInViewer = async (path: string, isPaused: boolean) => {
    const page = await openTab()
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: isPaused, flatten: true }
    await cdp.call('Target.setAutoAttach', autoAttach, page)
    const navigated = cdp.call('Page.navigate', { url: site.url(path) }, page)
    await expect.poll(() => attachments().length).toBeGreaterThan(0)
    const viewer = String(attachments()[0]?.params?.['sessionId'])

    // Before its URL is known, and after.
    const source = `chrome.tabs.create({ url: 'about:blank#taken' })`
    const script = cdp.call('Page.addScriptToEvaluateOnNewDocument', { source }, viewer)
    const early = cdp.call('Runtime.evaluate', { expression: source }, viewer)
    await cdp.call('Runtime.runIfWaitingForDebugger', {}, viewer)
    await navigated
    await findViewer()
    const late = await cdp.call('Runtime.evaluate', { expression: source }, viewer)

    expect((await script).result).toEqual({ identifier: '0' })
    for (const { error } of [await early, late]) expect(error?.message).toContain('internal page of the browser')
    expect((await targets()).filter(({ url }) => url.includes('taken'))).toEqual([])
    return { viewer, autoAttach }
  }

  test.each([
    ['of a page', '/paper.pdf'],
    ['in a page', '/paper'],
  ])('cannot run code in a viewer %s that is auto-attached and paused (%s)', async (_name, path) => {
    await runCodeInViewer(path, true)
  })

  test('cannot run code in a running viewer, nor in the frame of the document, which can send commands to it', async () => {
    const { viewer, autoAttach } = await runCodeInViewer('/paper.pdf', false)
    await cdp.call('Target.setAutoAttach', autoAttach, viewer)
    await expect.poll(() => attachments().length).toBe(2)
    const data = `{ type: 'navigate', url: '${site.url('/')}', disposition: 3 }`
    const expression = `document.querySelector('embed').dispatchEvent(new MessageEvent('message', { data: ${data} }))`

    const { sessionId, targetInfo } = attachments()[1]!.params as { sessionId: string; targetInfo: TargetInfo }
    const { error } = await cdp.call('Runtime.evaluate', { expression }, sessionId)
    const attached = await cdp.call('Target.attachToTarget', { targetId: targetInfo.targetId, flatten: true })

    expect(error?.message).toContain('internal page of the browser')
    expect(attached.error?.message).toContain('internal page of the browser')
  })

  test('cannot run code in a viewer through the session of another target', async () => {
    const page = await openTab()
    const { targetId } = (await targets()).find(({ type }) => type === 'page')!
    const attached = await cdp.call('Target.attachToTarget', { targetId, flatten: false })
    const outer = attached.result?.['sessionId']
    const send = async (sessionId: unknown, method: string, params: object): Promise<CdpMessage> =>
      cdp.call('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: 1, method, params }) })
    await send(outer, 'Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
    await send(outer, 'Page.navigate', { url: pdfUrl })
    const inner = (): CdpIncoming | undefined =>
      cdp.events
        .filter(({ method }) => method === 'Target.receivedMessageFromTarget')
        .map(({ params }) => JSON.parse(params?.['message']) as CdpIncoming)
        .find(({ method }) => method === 'Target.attachedToTarget')
    await expect.poll(inner).toBeDefined()
    await findViewer()

    const message = JSON.stringify({
      id: 2,
      method: 'Runtime.evaluate',
      params: { expression: open('about:blank#taken') },
    })
    const { error } = await send(outer, 'Target.sendMessageToTarget', {
      sessionId: inner()?.params?.['sessionId'],
      message,
    })

    expect(page).toBeDefined()
    expect(error?.message).toContain('internal page of the browser')
  })

  test('cannot replace the code of the viewer while it loads, and cannot attach to it', async () => {
    const page = await openTab()
    const paused = (): readonly CdpMessage[] => cdp.events.filter(({ method }) => method === 'Fetch.requestPaused')
    cdp.socket.on('message', (data) => {
      const { method, params, sessionId } = JSON.parse((data as Buffer).toString()) as CdpMessage
      if (method !== 'Fetch.requestPaused') return
      void cdp.call('Fetch.continueRequest', { requestId: params?.['requestId'] }, sessionId)
    })
    await cdp.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, page)
    const ofBrowser = await cdp.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await cdp.call('Page.navigate', { url: pdfUrl }, page)
    const { targetId } = await findViewer()

    for (const flatten of [true, false]) {
      const { error } = await cdp.call('Target.attachToTarget', { targetId, flatten })
      expect(error?.message).toContain('internal page of the browser')
    }
    const urls = paused().map(({ params }) => String(params?.['request'].url))
    expect(urls.filter((url) => viewerUrl.test(url) && /\.(?:html|js)$/.test(url))).toEqual([])
    expect(ofBrowser.error?.message).toContain('in the session of a page')
  })

  test('cannot frame a web-accessible file of the viewer', async () => {
    const page = await openTab()
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    await cdp.call('Target.setAutoAttach', autoAttach, page)
    cdp.socket.on('message', (data) => {
      const { method, params } = JSON.parse((data as Buffer).toString()) as CdpMessage
      if (method !== 'Target.attachedToTarget' || params?.['targetInfo'].type !== 'iframe') return
      const source = `chrome.tabs.create({ url: 'about:blank#taken' })`
      void cdp.call('Page.addScriptToEvaluateOnNewDocument', { source }, params['sessionId'])
      void cdp.call('Runtime.runIfWaitingForDebugger', {}, params['sessionId'])
    })
    await cdp.call('Page.navigate', { url: site.url('/style') }, page)
    // The response to `Page.navigate` comes before the page has a body.
    const expression = `new Promise((done) => {
      const frame = document.createElement('iframe')
      frame.onload = () => done('loaded')
      frame.src = '${styleSheet}'
      if (document.readyState === 'complete') document.body.append(frame)
      else addEventListener('load', () => document.body.append(frame))
    })`
    const { result } = await cdp.call('Runtime.evaluate', { expression, awaitPromise: true }, page)

    expect(result?.['result'].value).toBe('loaded')
    const opened = async (): Promise<readonly TargetInfo[]> =>
      (await targets()).filter(({ url }) => viewerUrl.test(url) || url.includes('taken'))
    await expect.poll(opened).toEqual([])
  })

  test('cannot open the viewer without a PDF', async () => {
    const page = await openTab()
    await cdp.call('Page.navigate', { url: site.url('/viewer') }, page)
    const expression = `open('${viewer}'); new Promise((done) => setTimeout(done, 200))`
    await cdp.call('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true }, page)

    // A refused tab shows an error page with this URL until it is closed.
    await expect.poll(async () => (await targets()).filter(({ url }) => viewerUrl.test(url))).toEqual([])
  })

  test('can take a screenshot and continue with Playwright', async () => {
    const browser = await chromium.connectOverCDP(cdpUrl)
    const page = await browser.contexts()[0]!.newPage()

    const response = await page.goto(site.url('/paper.pdf'))
    await page.waitForLoadState()
    const image = await page.screenshot()
    await page.goto(site.url('/'))

    expect(response?.status()).toBe(200)
    expect(image.length).toBeGreaterThan(1000)
    expect(await page.evaluate('6 * 7')).toBe(42)
    await browser.close()
  })

  test('can continue with Puppeteer', async () => {
    const browser = await connect({ browserWSEndpoint: cdpUrl })
    const page = await browser.newPage()
    await page.setUserAgent({ userAgent: 'reader' })
    await page.evaluateOnNewDocument('window.marked = true')

    const response = await page.goto(site.url('/paper.pdf'))
    await page.goto(site.url('/'))

    expect(response?.status()).toBe(200)
    expect(await page.evaluate('window.marked')).toBe(true)
    await page.close()
    await browser.disconnect()
  })
})

// The blocklist is in the profile, which is inside the jail or not. Each start checks that it works.
test.each(['auto', 'none'] as const)(
  'with isolation %s, code in a compromised PDF viewer cannot open a file or a page of the browser',
  async (isolationMode) => {
    await using dataDir = await openDataDir()
    const options = { dataDir: dataDir.path, choice: 'chromium', isolationMode, environment: process.env }
    await using host = await openBrowserHost(options)
    await using raw = await openRawBrowser(host, { isWatched: true })
    const { router } = raw.browser
    const targets = async (): Promise<readonly TargetInfo[]> =>
      (await raw.call('Target.getTargets', { filter: [{}] }))['targetInfos'] as readonly TargetInfo[]
    await raw.onPage('Page.navigate', { url: pdfUrl })
    await expect.poll(async () => (await targets()).some(({ url }) => viewerUrl.test(url))).toBe(true)
    const targetId = String((await targets()).find(({ url }) => viewerUrl.test(url))?.targetId)
    const evaluate = async (expression: string): Promise<unknown> => {
      const { sessionId } = await router.call('Target.attachToTarget', { targetId, flatten: true })
      const params = { expression, awaitPromise: true, returnByValue: true }
      const { result } = await router.callIn(sessionId)('Runtime.evaluate', params)
      return (result as { value: unknown }).value
    }
    await expect.poll(async () => evaluate('typeof chrome.tabs')).toBe('object')

    for (const url of ['file:///etc/hostname', 'chrome://version', 'chrome://inspect/#devices', viewer]) {
      expect(await evaluate(open(url))).toBe('asked')
    }

    // Each was opened, blocked and closed.
    await expect.poll(async () => (await targets()).filter(({ type }) => type === 'page').length).toBe(1)
    expect(raw.browser.targetKinds.kindOf(targetId)).toBe('internal')
    // Not even by a command that bypasses the policy.
    expect(await raw.onPage('Page.navigate', { url: 'file:///etc/hostname' })).toMatchObject({
      errorText: 'net::ERR_BLOCKED_BY_ADMINISTRATOR',
    })
  },
)
