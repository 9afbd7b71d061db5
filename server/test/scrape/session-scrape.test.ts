import { chromium, type Browser, type Dialog, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startModel } from '../../../test/lab/language-model.ts'
import type { Answer } from '../../../test/lab/lab.ts'
import { fixedPage, sendHtml, type Exchange } from '../../../test/lab/pages/page.ts'
import { startScrapeFixture, type ScrapeFixture } from './fixture.ts'

const shop = `<nav><a href="/menu">Menu</a></nav>
  <main><h1>Basket</h1><p>Hello <span id="name">nobody</span>, your basket is <a href="/empty">empty</a>.</p>
  <img src="/logo.png" alt="Logo"><input id="field"></main><div style="height: 4000px"></div>`

/** Shows an account to signed-in visitors. */
function showAccount(exchange: Exchange): void {
  const isKnown = exchange.request.headers.cookie?.includes('user=ada') === true
  sendHtml(exchange, 'Account', `<main><p>${isKnown ? 'Secret of Ada' : 'Please sign in'}</p></main>`)
}

const undo = new AsyncDisposableStack()
let fixture: ScrapeFixture
let session: CreateSessionResponse
let browser: Browser
let page: Page

beforeAll(async () => {
  const model = undo.use(await startModel(() => '{"owner":"Ada","summary":"A basket."}'))
  const llm = { llmUrl: model.url, llmModel: 'test' }
  fixture = undo.use(await startScrapeFixture(llm, { '/shop': fixedPage('Shop', shop), '/account': showAccount }))
  session = await fixture.lab.createSession({ ttl: 300 })
  browser = await chromium.connectOverCDP(session.cdpUrl)
  page = browser.contexts()[0]!.pages()[0]!
  undo.defer(async () => browser.close())
})
afterAll(async () => undo.disposeAsync())

const countOf = (path: string): number => fixture.site.requests.all.filter((each) => each.path === path).length

const scrape = async (options: object = {}, id = session.id): Promise<Answer> =>
  fixture.lab.api('POST', `/v2/browser/${id}/scrape`, options)

/** Scrapes the session. Fails the test if the scrape fails. */
async function read(options: object = {}): Promise<Answer['body']> {
  const { body } = await scrape(options)
  if (body['success'] !== true) throw new Error(JSON.stringify(body))
  return body['data'] as Answer['body']
}

describe('a scrape of a session', () => {
  test('turns the page, with the state that scripts and the user gave it, into a document', async () => {
    await page.goto(fixture.site.url('/shop'))
    await page.evaluate(`document.getElementById('name').textContent = 'Ada'`)
    const before = countOf('/shop')

    const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'summary', { type: 'json', prompt: 'owner' }]
    const attributes = { type: 'attributes', selectors: [{ selector: 'img', attribute: 'alt' }] }
    const document = await read({ formats: [...formats, attributes, 'screenshot'] })

    expect(document).toMatchObject({
      markdown: expect.stringContaining('Hello Ada, your basket is [empty]'),
      html: expect.not.stringContaining('Menu'),
      rawHtml: expect.stringContaining('<title>Shop</title>'),
      links: expect.arrayContaining([fixture.site.url('/empty')]),
      images: [fixture.site.url('/logo.png')],
      json: { owner: 'Ada' },
      summary: expect.any(String),
      attributes: [{ selector: 'img', attribute: 'alt', values: ['Logo'] }],
      metadata: {
        title: 'Shop',
        url: fixture.site.url('/shop'),
        sourceURL: fixture.site.url('/shop'),
        statusCode: 200,
        contentType: 'text/html',
      },
    })
    const screenshot = await fetch(document['screenshot'])
    expect(screenshot.headers.get('content-type')).toBe('image/png')
    expect(countOf('/shop')).toBe(before)
  })

  test('sees what the session is signed in to', async () => {
    await page.context().addCookies([{ name: 'user', value: 'ada', url: fixture.site.url('/') }])
    await page.goto(fixture.site.url('/account'))

    expect((await read())['markdown']).toBe('Secret of Ada\n')
  })

  test('works with `sessionId` on POST /v2/scrape as well', async () => {
    await page.goto(fixture.site.url('/shop'))

    const { body } = await fixture.lab.api('POST', '/v2/scrape', { sessionId: session.id, formats: ['links'] })

    expect(body).toMatchObject({ success: true, data: { links: expect.arrayContaining([fixture.site.url('/empty')]) } })
  })

  test('includes shadow trees and frames of every origin', async () => {
    await page.goto(fixture.site.url('/frames/nested'))
    await page.frameLocator('[name=outer]').frameLocator('[name=cross]').getByText('cross').first().waitFor()
    await page.evaluate(`document.body.append(document.createElement('x-box'));
      document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML = '<p>in the shadow</p>'`)

    const { markdown } = await read({ onlyMainContent: false })

    expect(markdown).toContain('in the shadow')
    expect(markdown).toContain('same')
    expect(markdown).toContain('cross')
  })

  test('applies `includeTags`, `excludeTags`, `onlyMainContent` and `waitFor`', async () => {
    await page.goto(fixture.site.url('/shop'))
    await page.evaluate(`setTimeout(() => { document.getElementById('name').textContent = 'Grace' }, 200)`)

    const late = await read({ waitFor: 500, includeTags: ['p'], excludeTags: ['a'] })
    const whole = await read({ onlyMainContent: false })

    expect(late['markdown']).toBe('Hello Grace, your basket is .\n')
    expect(whole['markdown']).toContain('[Menu]')
  })

  test('performs actions on the page, without waiting for it to load again', async () => {
    await page.goto(fixture.site.url('/shop'))
    const startMs = performance.now()

    const actions = [
      { type: 'click', selector: '#field' },
      { type: 'write', text: 'typed' },
      { type: 'executeJavascript', script: `document.getElementById('name').textContent = field.value` },
    ]
    const { markdown } = await read({ actions })

    expect(markdown).toContain('Hello typed')
    expect(await page.inputValue('#field')).toBe('typed')
    expect(performance.now() - startMs).toBeLessThan(4000)
  })

  test('dismisses a dialog that an action opens, if no client does', async () => {
    const { id } = await fixture.lab.createSession()
    const script = `document.body.textContent = String(confirm('Sure?'))`

    const { body } = await scrape({ actions: [{ type: 'executeJavascript', script }], timeout: 5000 }, id)

    expect(body).toMatchObject({ data: { markdown: 'false\n' } })
    await fixture.lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('leaves a dialog that an action opens to the client', async () => {
    await page.goto(fixture.site.url('/shop'))
    page.once('dialog', (dialog) => void dialog.accept())
    const script = `document.getElementById('name').textContent = String(confirm('Sure?'))`

    expect((await read({ actions: [{ type: 'executeJavascript', script }] }))['markdown']).toContain('Hello true')
  })

  test('has a warning that a text file has no branding', async () => {
    await page.goto(fixture.site.url('/notes.txt'))

    const { branding, warning } = await read({ formats: ['markdown', 'branding'] })

    expect(branding).toBeUndefined()
    expect(warning).toBe('Not applied, because the page is a file of the type text/plain: the format branding.')
  })

  test('reads text files as they are, and refuses a page with an unsupported type', async () => {
    await page.goto(fixture.site.url('/robots.txt')).catch(() => undefined)
    await page.goto('data:application/json,{"a":1}')

    expect(await read({ formats: ['markdown'] })).toMatchObject({ markdown: '```json\n{"a":1}\n```\n' })
  })
})

describe('the page of a client', () => {
  test('is left as it is: emulation, focus, scroll position and elements', async () => {
    await using context = await browser.newContext({
      viewport: { width: 612, height: 413 },
      deviceScaleFactor: 2,
      isMobile: true,
      userAgent: 'Custom',
      colorScheme: 'dark',
    })
    const own = await context.newPage()
    await own.goto(fixture.site.url('/frames'))
    await own.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<input id="focused"><div style="height: 5000px">')
      document.getElementById('focused').focus({ preventScroll: true })
      scrollTo(0, 777)
      window.changes = []
      new MutationObserver((records) => changes.push(...records.map((each) => each.attributeName ?? each.type)))
        .observe(document, { attributes: true, childList: true, subtree: true, characterData: true })
      for (const name of ['blur', 'focus', 'visibilitychange']) addEventListener(name, () => changes.push(name))`)
    const state = async () =>
      own.evaluate(`({ size: [innerWidth, innerHeight], scale: devicePixelRatio, agent: navigator.userAgent,
        isDark: matchMedia('(prefers-color-scheme: dark)').matches, scroll: scrollY, changes,
        focused: document.activeElement.id, hasFocus: document.hasFocus(),
        globals: Object.keys(window).filter((name) => /bowline|frameIds/i.test(name)) })`)
    const before = await state()

    await read({ formats: ['markdown', { type: 'screenshot', fullPage: true }], onlyMainContent: false })

    expect(before).toMatchObject({ scroll: 777, scale: 2, isDark: true, agent: 'Custom' })
    expect(await state()).toEqual(before)
  })

  test('is the one that was used last, or that of `targetId`', async () => {
    const [one, other] = [await page.context().newPage(), await page.context().newPage()]
    await one.goto(fixture.site.url('/title?text=One'))
    await other.goto(fixture.site.url('/title?text=Other'))
    const list = await fetch(session.cdpUrl.replace('ws:', 'http:').replace('/cdp?', '/cdp/json/list?'))
    const targets = (await list.json()) as readonly { id: string; url: string }[]
    const targetId = targets.find(({ url }) => url === one.url())?.id

    expect((await read())['metadata']).toMatchObject({ title: 'Other' })
    expect((await read({ targetId }))['metadata']).toMatchObject({ title: 'One' })
    await one.title()
    expect((await read())['metadata']).toMatchObject({ title: 'One' })
    await Promise.all([one.close(), other.close()])
    expect(await scrape({ targetId })).toMatchObject({ status: 404, body: { code: 'TARGET_NOT_FOUND' } })
  })

  test('can be read while the client pauses its requests', async () => {
    await page.goto(fixture.site.url('/shop'))
    await using client = await connectCdp(session.cdpUrl)
    const attached = await client.attachToPage()
    await client.call('Fetch.enable', {}, attached)
    await client.call('Runtime.evaluate', { expression: `void fetch('/title')` }, attached)
    await expect.poll(() => client.events.map(({ method }) => method)).toContain('Fetch.requestPaused')

    expect((await read())['markdown']).toContain('Basket')
  })

  test('that shows a dialog is not read until it is closed, or fails with the reason', async () => {
    await page.goto(fixture.site.url('/shop'))
    const shown = new Promise<Dialog>((resolve) => page.once('dialog', resolve))
    void page.evaluate(`setTimeout(() => alert('Wait'))`)
    const dialog = await shown

    const late = await scrape({ timeout: 1000 })
    const waiting = read({ timeout: 20_000 })
    await dialog.accept()

    expect(late).toMatchObject({ status: 408, body: { code: 'SCRAPE_TIMEOUT' } })
    expect(late.body['error']).toBe(
      `The page of session ${session.id} was not scraped within 1000 ms: a JavaScript dialog is open on it`,
    )
    expect((await waiting)['markdown']).toContain('Basket')
  })

  test('that is closed while it is read fails the scrape at once', async () => {
    const other = await page.context().newPage()
    await other.goto(fixture.site.url('/title?text=Closing'))

    const actions = [
      { type: 'executeJavascript', script: `document.title = 'being read'` },
      { type: 'wait', milliseconds: 20_000 },
    ]
    const startMs = performance.now()
    const [answer] = await Promise.all([scrape({ actions }), closeOnceRead(other)])

    expect(answer.body).toMatchObject({
      code: 'SCRAPE_SITE_ERROR',
      error: 'The page was closed while it was read',
    })
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
})

/** Closes a page once the first action of the scrape has changed its title. */
async function closeOnceRead(target: Page): Promise<void> {
  await expect.poll(async () => target.title()).toBe('being read')
  await target.close()
}

describe('the record of a scrape of a session', () => {
  test('is a charge, an activity with the URL of the page, and a document of the next 24 hours', async () => {
    await page.goto(fixture.site.url('/shop?record'))
    const { metadata } = await read()

    const { body } = await fixture.lab.api('GET', '/v2/team/activity?endpoint=scrape')
    const [latest] = body['data']
    expect(latest).toMatchObject({ id: metadata['scrapeId'], target: fixture.site.url('/shop?record') })
    expect(metadata).toMatchObject({ creditsUsed: 1, concurrencyLimited: false })
    expect(metadata).not.toHaveProperty('cacheState')
    const stored = await fixture.lab.api('GET', `/v2/scrape/${metadata['scrapeId']}`)
    expect(stored.body).toMatchObject({ data: { markdown: expect.stringContaining('Basket') } })
  })

  test('needs no concurrency slot, and takes its price from the credits of the team', async () => {
    const { body: created } = await fixture.lab.api('POST', '/v2/teams', {
      name: 'small',
      maxConcurrency: 1,
      credits: 10,
    })
    const { body: keys } = await fixture.lab.api('POST', '/v2/team/keys', { name: 'small', team: 'small' })
    const owner = { authorization: `Bearer ${keys['key']}` }
    const { body: own } = await fixture.lab.api('POST', '/v2/browser', { ttl: 60 }, owner)

    const scraped = await fixture.lab.api('POST', `/v2/browser/${own['id']}/scrape`, {}, owner)
    const failed = await fixture.lab.api('POST', `/v2/browser/${own['id']}/scrape`, { targetId: 'NONE' }, owner)
    await fixture.lab.api('DELETE', `/v2/browser/${own['id']}`, undefined, owner)

    expect(created['success']).toBe(true)
    expect(scraped.body).toMatchObject({ data: { metadata: { creditsUsed: 1, concurrencyLimited: false } } })
    expect(failed.status).toBe(404)
    const { body: usage } = await fixture.lab.api('GET', '/v2/team/credit-usage', undefined, owner)
    // The session costs two credits.
    expect(usage['data']['remainingCredits']).toBe(7)
  })

  test('is not a stored page that other scrapes could reuse', async () => {
    await page.context().addCookies([{ name: 'user', value: 'ada', url: fixture.site.url('/') }])
    await page.goto(fixture.site.url('/account?cached'))
    await read()

    const document = await fixture.read('/account?cached', { maxAge: 1e9 })

    expect(document['markdown']).toBe('Please sign in\n')
    expect(document['metadata']).toMatchObject({ cacheState: 'miss' })
  })

  test('counts as use of the session', async () => {
    const used = async (): Promise<number> =>
      Date.parse((await fixture.lab.api('GET', `/v2/browser/${session.id}`)).body['lastActivity'])
    const before = await used()

    await read()

    expect(await used()).toBeGreaterThan(before)
  })
})
