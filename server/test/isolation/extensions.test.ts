import { chromium, type Browser, type BrowserContext, type Worker } from 'playwright-core'
import { connect, TargetType, type Target } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import type { BrowserExtension } from '../../../src/contract/extensions.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { uploadExtension } from '../../../test/lab/upload-extension.ts'
import { zipExtension } from '../../../test/lab/zip.ts'

const viewer = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html'

/** An extension with every right that matters here. It connects to `url` as soon as it starts. */
function zipWithRights(url: string): Buffer {
  return zipExtension(
    {
      permissions: ['cookies', 'declarativeNetRequest', 'offscreen', 'scripting', 'storage', 'tabs', 'webRequest'],
      host_permissions: ['<all_urls>'],
      background: { service_worker: 'worker.js' },
      content_scripts: [{ matches: ['<all_urls>'], js: ['content.js'] }],
      declarative_net_request: { rule_resources: [{ id: 'rules', enabled: true, path: 'rules.json' }] },
      web_accessible_resources: [{ resources: ['page.html'], matches: ['<all_urls>'] }],
      // The id of the PDF viewer, whose pages sessions can show.
      key: 'MIGdMA0GCSqGSIb3DQEBAQUAA4GLADCBhwKBgQDN6hM0rsDYGbzQPQfOygqlRtQgKUXMfnSjhIBL7LnReAVBEd7ZmKtyN2qmSasMl4HZpMhVe2rPWVVwBDl6iyNE/Kok6E6v6V3vCLGsOpQAuuNVye/3QxzIldzG/jQAdWZiyXReRVapOhZtLjGfywCvlWq7Sl/e3sbc0vWybSDI2QIDAQAB',
    },
    {
      'worker.js': `self.atStart = ${load(url)}`,
      'content.js': 'document.documentElement.dataset.extension = "here"',
      'page.html': '<title>Page of the extension</title>',
      'rules.json': JSON.stringify([
        { id: 1, action: { type: 'block' }, condition: { urlFilter: 'forbidden', resourceTypes: ['xmlhttprequest'] } },
      ]),
    },
  )
}

/** Connects to a URL by HTTP and as a WebSocket. */
function load(url: string): string {
  return `Promise.all([
    fetch('${url}', { mode: 'no-cors' }).then(() => 'fetched', () => 'failed'),
    new Promise((resolve) => {
      const socket = new WebSocket('${url.replace('http', 'ws')}')
      socket.onopen = () => resolve('opened')
      socket.onclose = () => resolve('failed')
    }),
  ])`
}

/** A session with the extension, and Playwright connected to it. */
class Fixture implements AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  readonly extension: BrowserExtension
  readonly session: CreateSessionResponse
  readonly browser: Browser
  readonly context: BrowserContext
  worker: Worker
  readonly #resources: AsyncDisposableStack

  private constructor(
    fields: Pick<Fixture, 'lab' | 'site' | 'extension' | 'session' | 'browser'>,
    worker: Worker,
    resources: AsyncDisposableStack,
  ) {
    this.lab = fields.lab
    this.site = fields.site
    this.extension = fields.extension
    this.session = fields.session
    this.browser = fields.browser
    this.context = contextOf(fields.browser)
    this.worker = worker
    this.#resources = resources
  }

  static async open(): Promise<Fixture> {
    await using undo = new AsyncDisposableStack()
    const site = undo.use(await startSite())
    const lab = undo.use(await startLab({ browser: 'chromium', isolation: 'strict', warm: 1 }))
    const extension = await uploadExtension(lab, zipWithRights(site.crossUrl('/')))
    const rules = { blockedDomains: ['localhost'], userAgent: 'Agent of the session' }
    const session = await lab.createSession({ ...rules, extensions: [extension.id] })
    const browser = await chromium.connectOverCDP(session.cdpUrl)
    undo.defer(async () => browser.close())
    const worker = await workerIn(contextOf(browser))
    return new Fixture({ lab, site, extension, session, browser }, worker, undo.move())
  }

  url(path: string): string {
    return `chrome-extension://${this.extension.runtimeId}/${path}`
  }

  async evaluateInTarget(isWanted: (target: Target) => boolean, expression: string): Promise<unknown> {
    const puppeteer = await connect({ browserWSEndpoint: this.session.cdpUrl, targetFilter: () => true })
    try {
      const target = await puppeteer.waitForTarget(isWanted)
      const worker = await target.worker()
      return await (worker ?? (await target.asPage())).evaluate(expression)
    } finally {
      await puppeteer.disconnect()
    }
  }

  async evaluateInPage(address: string, expression: string): Promise<unknown> {
    await using page = await this.context.newPage()
    await page.goto(address)
    return await page.evaluate(expression)
  }

  async evaluateOffscreen(expression: string): Promise<unknown> {
    const document = { url: 'page.html', reasons: ['DOM_PARSER'], justification: 'a test' }
    await this.worker.evaluate(`chrome.offscreen.createDocument(${JSON.stringify(document)})`)
    const result = await this.evaluateInTarget((target) => target.type() === TargetType.BACKGROUND_PAGE, expression)
    await this.worker.evaluate('chrome.offscreen.closeDocument()')
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}

function contextOf(browser: Browser): BrowserContext {
  return browser.contexts()[0]!
}

async function workerIn(context: BrowserContext): Promise<Worker> {
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker')
}

/** Evaluates an expression in the service worker of the extension of a session. */
async function inWorker({ cdpUrl }: CreateSessionResponse, expression: string): Promise<unknown> {
  await using browser = await chromium.connectOverCDP(cdpUrl)
  return await (await workerIn(contextOf(browser))).evaluate(expression)
}

const markOf = 'document.documentElement.dataset.extension'
const readFile = `fetch('file:///proc/version').then((response) => response.text(), () => 'failed')`
const fetchForbidden = `fetch('/forbidden').then(() => 'fetched', () => 'failed')`

// Sessions with other isolation are refused: pages of extensions could send UDP past the proxy.
describe('an extension in strict isolation', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await Fixture.open()
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  test('changes pages and their requests', async () => {
    expect(await fixture.evaluateInPage(fixture.site.url('/'), markOf)).toBe('here')
    expect(await fixture.evaluateInPage(fixture.site.url('/'), fetchForbidden)).toBe('failed')
  })

  test('has targets that both drivers use: its service worker and its pages', async () => {
    const isWorker = (target: Target): boolean => target.url() === fixture.url('worker.js')

    expect(fixture.worker.url()).toBe(fixture.url('worker.js'))
    expect(await fixture.worker.evaluate('chrome.runtime.id')).toBe(fixture.extension.runtimeId)
    expect(await fixture.evaluateInTarget(isWorker, 'chrome.runtime.id')).toBe(fixture.extension.runtimeId)
    expect(await fixture.evaluateInPage(fixture.url('page.html'), 'document.title')).toBe('Page of the extension')
  })

  test('has the options of the session from its start', async () => {
    expect(await fixture.worker.evaluate('atStart')).toEqual(['failed', 'failed'])
    expect(await fixture.worker.evaluate('navigator.userAgent')).toBe('Agent of the session')
    expect(fixture.site.requests.all.filter(({ headers }) => headers.host?.startsWith('localhost'))).toEqual([])
  })

  test.each<[string, (expression: string) => Promise<unknown>]>([
    ['its service worker', async (expression) => fixture.worker.evaluate(expression)],
    ['an offscreen document', async (expression) => fixture.evaluateOffscreen(expression)],
    ['a page of its own', async (expression) => fixture.evaluateInPage(fixture.url('page.html'), expression)],
  ])('connects from %s through the egress proxy with the rules of the session', async (_name, evaluate) => {
    const path = `/${crypto.randomUUID()}`

    expect(
      await evaluate(`Promise.all([${load(fixture.site.url(path))}, ${load(fixture.site.crossUrl(path))}])`),
    ).toEqual([
      ['fetched', 'opened'],
      ['failed', 'failed'],
    ])
    expect(fixture.site.requests.all.filter((request) => request.path === path)).toHaveLength(2)
  })

  test('cannot read files', async () => {
    expect(await fixture.worker.evaluate('chrome.extension.isAllowedFileSchemeAccess()')).toBe(false)
    expect(await fixture.worker.evaluate(readFile)).toBe('failed')
    expect(await fixture.evaluateInPage(fixture.url('page.html'), readFile)).toBe('failed')
  })

  test.each([
    'file:///proc/version',
    'chrome://version/',
    'chrome://extensions/',
    'view-source:http://127.0.0.1/',
    'devtools://devtools/bundled/inspector.html',
    viewer,
  ])('opens no tab with %s', async (address) => {
    const outcome = await fixture.worker.evaluate(`new Promise((resolve, reject) => {
      const closed = new Set()
      chrome.tabs.onRemoved.addListener((id) => closed.add(id))
      chrome.tabs.create({ url: '${address}' }).then(({ id }) => {
        if (closed.has(id)) resolve('closed')
        chrome.tabs.onRemoved.addListener((removed) => removed === id && resolve('closed'))
      }, ({ message }) => resolve(message.includes('Cannot navigate to a') ? 'refused' : message))
    })`)

    expect(['closed', 'refused']).toContain(outcome)
  })

  test.each(['https://chromewebstore.google.com/', 'https://chrome.google.com/webstore/category'])(
    'cannot be joined by extensions of the store: %s is blocked',
    async (address) => {
      await using page = await fixture.context.newPage()
      const cdp = await fixture.context.newCDPSession(page)

      expect(await cdp.send('Page.navigate', { url: address })).toMatchObject({
        errorText: 'net::ERR_BLOCKED_BY_ADMINISTRATOR',
      })
    },
  )

  test('gets no rights that its manifest does not have', async () => {
    const apis = ['debugger', 'downloads', 'management?.getAll', 'privacy', 'proxy', 'runtime.connectNative', 'system']
    const found = `[${apis.map((api) => `typeof chrome.${api}`).join()}]`
    const request = `chrome.permissions.request({ permissions: ['proxy'] }).then(String, () => 'failed')`

    expect(await fixture.worker.evaluate(found)).toEqual(apis.map(() => 'undefined'))
    expect(await fixture.evaluateInPage(fixture.url('page.html'), request)).toBe('failed')
  })

  test('lets clients open its own pages only', async () => {
    await using page = await fixture.context.newPage()

    await expect(page.goto(viewer)).rejects.toThrow('Page.navigate to "chrome-extension://mhjf')
    await expect(page.goto(`chrome-extension://${'a'.repeat(32)}/page.html`)).rejects.toThrow('is not allowed')
    const root = await fixture.browser.newBrowserCDPSession()
    await expect(root.send('Extensions.loadUnpacked', { path: '/tmp' })).rejects.toThrow('is not allowed')
    await page.goto(fixture.site.url('/'))
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${fixture.url('page.html')}' }))`,
    )
    const frame = await page.waitForSelector('iframe')
    expect(await (await frame.contentFrame())?.evaluate('chrome.runtime.id')).toBe(fixture.extension.runtimeId)
  })

  test('stays as it was uploaded when it restarts itself', async () => {
    const restarted = fixture.context.waitForEvent('serviceworker')
    await fixture.worker.evaluate('void chrome.runtime.reload()').catch(() => undefined)
    fixture.worker = await restarted

    expect(await fixture.worker.evaluate('chrome.extension.isAllowedFileSchemeAccess()')).toBe(false)
    expect(await fixture.worker.evaluate('atStart')).toEqual(['failed', 'failed'])
  })

  test('keeps its storage in a profile', async () => {
    const options = { profile: { name: 'with-extension' }, extensions: [fixture.extension.id] }
    const first = await fixture.lab.createSession(options)
    await inWorker(first, `chrome.storage.local.set({ kept: true })`)
    await fixture.lab.api('DELETE', `/v2/browser/${first.id}`)
    const second = await fixture.lab.createSession(options)

    expect(await inWorker(second, 'chrome.storage.local.get()')).toEqual({ kept: true })
    expect(await inWorker(second, 'chrome.extension.isAllowedFileSchemeAccess()')).toBe(false)
  })

  test('is in no other session, and not in a warm browser', async () => {
    const other = await chromium.connectOverCDP((await fixture.lab.createSession()).cdpUrl)
    const page = await other.contexts()[0]!.newPage()

    await page.goto(fixture.site.url('/'))
    expect(await page.evaluate(markOf)).toBeUndefined()
    await expect(page.goto(fixture.url('page.html'))).rejects.toThrow('is not allowed')
    expect(other.contexts()[0]!.serviceWorkers()).toEqual([])
    await other.close()
  })
})
