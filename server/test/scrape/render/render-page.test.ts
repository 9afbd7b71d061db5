import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startSite } from '../../../../test/lab/site.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('a page that is empty without scripts is rendered', async () => {
  const page = await fixture.read('/shell')
  const fetched = await fixture.read('/shell', { fastMode: true })

  expect(page['markdown']).toBe('# Rendered\n\nby a script\n')
  expect(fetched['markdown']).not.toContain('Rendered')
})

test('a page whose script replaces it while it loads is read without a wait for its load', async () => {
  await using site = await startSite({
    '/from': fixedPage('From', `<div id="root"></div><script>location.replace('/to')</script>`),
    '/to': fixedPage('To', '<h1>Replaced</h1>'),
  })

  // A wait for the load of the first page would take half of this, which the scrape then lacks.
  const { body } = await fixture.lab.api('POST', '/v2/scrape', { url: site.url('/from'), timeout: 60_000 })

  expect(body['data'].markdown).toBe('# Replaced\n')
})

test('content added by timers soon after the load is included', async () => {
  const page = await fixture.read('/step-by-step', { onlyMainContent: false })

  expect(page['markdown']).toContain('Step 0')
})

test('frames, including cross-origin ones, and open shadow trees are part of the page', async () => {
  const page = await fixture.read('/nested', { waitFor: 100, onlyMainContent: false })

  for (const text of ['Outside', 'Inside a frame', 'Inside a foreign frame', 'In the shadow']) {
    expect(page['markdown']).toContain(text)
  }
})

describe('actions', () => {
  test('write, click, wait, run scripts and return their results, in order', async () => {
    const { actions, markdown } = await fixture.read('/acting', {
      onlyMainContent: false,
      actions: [
        { type: 'click', selector: '#name' },
        { type: 'write', text: 'Ada' },
        { type: 'click', selector: '#greet' },
        { type: 'wait', milliseconds: 200 },
        { type: 'click', selector: '.more', all: true },
        { type: 'scrape' },
        { type: 'executeJavascript', script: 'document.querySelector("#count").textContent' },
        { type: 'executeJavascript', script: 'await Promise.resolve({ a: 1 })' },
        { type: 'executeJavascript', script: 'new Promise((resolve) => setTimeout(resolve, 1, [2]))' },
        { type: 'executeJavascript', script: 'const words = "re" + "turned"\nreturn words' },
        { type: 'executeJavascript', script: 'window' },
        { type: 'wait', selector: '#out' },
      ],
    })

    expect(markdown).toContain('Hello Ada')
    expect(actions['scrapes']).toEqual([
      { url: fixture.site.url('/acting'), html: expect.stringContaining('Hello Ada') },
    ])
    expect(actions['javascriptReturns']).toEqual([
      { type: 'string', value: '2' },
      { type: 'object', value: { a: 1 } },
      { type: 'object', value: [2] },
      { type: 'string', value: 'returned' },
      { type: 'object', value: null },
    ])
  })

  test('reach into open shadow trees and frames of the same site', async () => {
    const { actions } = await fixture.read('/nested-controls', {
      actions: [
        { type: 'wait', selector: '#shaded' },
        { type: 'click', selector: '#shaded' },
        { type: 'click', selector: '#framed' },
        { type: 'write', text: 'inside' },
        { type: 'executeJavascript', script: '[document.title, frames[0].document.querySelector("#framed").value]' },
      ],
    })

    expect(actions['javascriptReturns'][0].value).toEqual(['clicked', 'inside'])
  })

  test('press keys and combinations of keys, and scroll', async () => {
    const press = (key: string) => ({ type: 'press', key })
    const read = (script: string) => ({ type: 'executeJavascript', script })
    const { actions } = await fixture.read('/acting', {
      actions: [
        { type: 'click', selector: '#name' },
        press('Enter'),
        read('late.textContent'),
        { type: 'write', text: 'Ada' },
        press('Control+a'),
        press('b'),
        press('Shift+o'),
        press('Shift+1'),
        press('Control+A'),
        press('Control'),
        read('const input = document.querySelector("#name"); [input.value, input.selectionEnd - input.selectionStart]'),
        press('Tab'),
        read('document.activeElement.id'),
        press('Shift+Tab'),
        read('document.activeElement.id'),
        { type: 'scroll' },
        read('scrollY'),
        { type: 'scroll', direction: 'up' },
        read('scrollY'),
      ],
    })

    expect(actions['javascriptReturns'].map(({ value }: { value: unknown }) => value)).toEqual([
      'entered',
      ['bO!', 3],
      'greet',
      'name',
      720,
      0,
    ])
  })

  test.each(['Control+Nothing', 'a+b', 'Hyper', '', 'ab', 'F25'])('with the unknown key %j get 400', async (key) => {
    const { status, body } = await fixture.scrape('/never-asked', { actions: [{ type: 'press', key }] })

    expect([status, body['error']]).toEqual([400, expect.stringContaining('unknown key')])
    expect(fixture.site.requests.all.map(({ path }) => path)).not.toContain('/never-asked')
  })

  test('take screenshots and PDFs, at URLs that need only their token', async () => {
    const { actions } = await fixture.read('/acting', {
      actions: [
        { type: 'screenshot', viewport: { width: 400, height: 300 } },
        { type: 'screenshot', fullPage: true, quality: 50 },
        { type: 'pdf', format: 'A6', landscape: true },
      ],
    })

    const [small, whole] = actions['screenshots']
    const files = await Promise.all([small, whole, actions['pdfs'][0]].map(async (url) => fetch(url)))
    expect(files.map(({ headers }) => headers.get('content-type'))).toEqual([
      'image/png',
      'image/jpeg',
      'application/pdf',
    ])
    const png = Buffer.from(await files[0]!.arrayBuffer())
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([400, 300])
    expect((await fetch(small.replace(/token=.*/, 'token=guess'))).status).toBe(404)
  })

  test.each([
    ['#no', 500, 'SCRAPE_ACTION_ERROR', 'No element matches "#no"'],
    ["p['", 400, 'BAD_REQUEST', "`p['` is not a CSS selector"],
  ])('that fail are named with the reason: %s', async (selector, expected, code, why) => {
    const { status, body } = await fixture.scrape('/acting', {
      actions: [{ type: 'scrape' }, { type: 'click', selector }],
    })

    expect(status).toBe(expected)
    expect(body).toMatchObject({ code, error: `Action 2 (click): ${why}` })
  })

  test('that time out are named with the condition they waited for', async () => {
    const { status, body } = await fixture.scrape('/acting', {
      timeout: 3000,
      actions: [{ type: 'scrape' }, { type: 'wait', selector: '#never' }],
    })

    expect(status).toBe(408)
    expect(body).toMatchObject({
      code: 'SCRAPE_TIMEOUT',
      error: `${fixture.site.url('/acting')} was not scraped within 3000 ms: action 2 (wait) was still waiting for "#never"`,
      hint: 'Check the selector against the page, or raise `timeout`.',
    })
  })
})

test('the screenshot format captures what the window shows', async () => {
  const { screenshot } = await fixture.read('/acting', { formats: ['screenshot'] })
  const image = Buffer.from(await (await fetch(screenshot)).arrayBuffer())

  expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1280, 720])
})

test('the screenshot format captures the full page on request, and warns if that is too high', async () => {
  const { screenshot, warning } = await fixture.read('/acting', {
    formats: ['screenshot@fullPage'],
    actions: [{ type: 'executeJavascript', script: "document.body.style.height = '20000px'" }],
  })
  const image = Buffer.from(await (await fetch(screenshot)).arrayBuffer())

  expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1280, 16_384])
  expect(warning).toContain('the first 16384 px')
})

describe('a warning reports', () => {
  const script = (source: string): object => ({ type: 'executeJavascript', script: source })
  const click = { type: 'click', selector: 'i', all: true }
  test.each([
    [
      'omitted frames',
      [script("for (let i = 0; i < 60; i++) document.body.append(document.createElement('iframe'))")],
      'those after the first 50',
    ],
    [
      'elements that were not clicked',
      [script("document.body.innerHTML = '<i></i>'.repeat(101)"), click],
      'the first 100 were clicked',
    ],
  ])('%s', async (_what, actions, words) => {
    const page = await fixture.read('/acting', { onlyMainContent: false, actions })

    expect(page['warning']).toContain(words)
  })
})

describe('the browser of a scrape', () => {
  test('has the requested location', async () => {
    const page = await fixture.read('/place', { waitFor: 1, location: { country: 'de' } })

    expect(page['markdown']).toContain('de-DE | Europe/Berlin | desk | 1280 | 1.234,5')
  })

  test('has the requested languages', async () => {
    const page = await fixture.read('/headers', { location: { country: 'ch', languages: ['fr-CH', 'it'] } })

    expect(page['markdown']).toContain('"accept-language":"fr-CH,fr;q=0.9,it;q=0.8"')
  })

  test('emulates a phone with `mobile`, and is in the United States without a location', async () => {
    const { markdown } = await fixture.read('/place', { mobile: true })

    expect(markdown).toContain('en-US | America/New_York | phone | 390 |')
  })

  test('is in the United States with only languages', async () => {
    const { markdown } = await fixture.read('/place', { waitFor: 1, location: { languages: ['fr-FR'] } })

    expect(markdown).toContain('fr-FR | America/New_York')
  })

  const windows =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
  test.each([
    ['a desktop browser', windows, {}, { platform: 'Win32', brand: '131', system: 'Windows', mobile: false }],
    [
      'a desktop browser, on a phone',
      windows,
      { mobile: true },
      { platform: 'Win32', brand: '131', system: 'Windows', mobile: false },
    ],
    ['a program', 'Mine/1', { waitFor: 1 }, { platform: 'Linux x86_64', brand: null, system: '', mobile: false }],
  ])('sends custom headers, and has their user agent in scripts: %s', async (_, userAgent, options, expected) => {
    const script = `JSON.stringify({ userAgent: navigator.userAgent, platform: navigator.platform,
      brand: navigator.userAgentData.brands.find(({ brand }) => brand === 'Google Chrome')?.version ?? null,
      system: navigator.userAgentData.platform, mobile: navigator.userAgentData.mobile })`
    const page = await fixture.read('/headers', {
      ...options,
      onlyMainContent: false,
      headers: { 'user-agent': userAgent, 'x-team': 'blue' },
      actions: [{ type: 'executeJavascript', script }],
    })

    expect(JSON.parse(page['actions']['javascriptReturns'][0].value)).toEqual({ userAgent, ...expected })
    expect(page['markdown']).toContain(`"user-agent":"${userAgent}"`)
    expect(page['markdown']).toContain('"x-team":"blue"')
  })

  test.each([
    ['an empty one', { 'User-Agent': '' }, expect.stringMatching(/ Chrome\/\d+/)],
    ['two spellings', { 'User-Agent': 'First/1', 'user-agent': 'Last/1' }, 'Last/1'],
  ])('never has the user agent of a headless browser in scripts: %s', async (_, headers, expected) => {
    const page = await fixture.read('/headers', {
      headers,
      actions: [{ type: 'executeJavascript', script: 'navigator.userAgent' }],
    })

    const [{ value }] = page['actions']['javascriptReturns']
    expect(value).toEqual(expected)
    expect(value).not.toContain('Headless')
  })

  test('has the languages of a custom `Accept-Language` header in scripts', async () => {
    const page = await fixture.read('/headers', {
      headers: { 'accept-language': 'fr;q=0.5, de-CH, *;q=0.1' },
      location: { country: 'ch', languages: ['it'] },
      onlyMainContent: false,
      actions: [
        {
          type: 'executeJavascript',
          script: '[navigator.language, ...navigator.languages, (1.5).toLocaleString()].join()',
        },
      ],
    })

    expect(page['actions']['javascriptReturns'][0].value).toBe('de-CH,de-CH,fr,1.5')
    expect(page['markdown']).toContain('"accept-language":"fr;q=0.5, de-CH, *;q=0.1"')
  })
})

test.each([
  ['rendered', { waitFor: 1, onlyMainContent: false }],
  ['fetched', { onlyMainContent: false }],
])('advertisements and consent banners of a %s page are removed, or kept on request', async (_, how) => {
  const clean = await fixture.read('/ads', how)
  const whole = await fixture.read('/ads', { ...how, blockAds: false })

  expect(clean['markdown'].trim()).toBe('# News')
  expect(whole['markdown']).toContain('We value your privacy')
})

test('a page that hangs its browser fails at its timeout, and the next one is rendered', async () => {
  const { status } = await fixture.scrape('/hang', { waitFor: 1, timeout: 1500 })

  expect(status).toBe(408)
  expect((await fixture.read('/shell'))['markdown']).toContain('Rendered')
})

test('text that asks for a password is returned with its status', async () => {
  expect(await fixture.read('/password', { waitFor: 1 })).toMatchObject({
    markdown: 'Sign in first',
    metadata: { statusCode: 401 },
  })
})

test('a page that navigates to a site that cannot be reached fails', async () => {
  const { status, body } = await fixture.scrape('/to-closed-port', { waitFor: 300 })

  expect(status).toBe(500)
  expect(body).toMatchObject({
    code: 'SCRAPE_SITE_ERROR',
    error: expect.stringMatching(/ navigated to a URL that could not be loaded$/),
  })
})

test('a PDF is parsed even if options require a browser', async () => {
  expect((await fixture.read('/three.pdf', { waitFor: 1 }))['markdown']).toContain('Third page')
})

test('a profile keeps the storage of a page for the next scrape, also of a file', async () => {
  const read = { profile: { name: 'scraper', saveChanges: false } }
  expect((await fixture.read('/acting', read))['warning']).toContain('no saved version')
  expect((await fixture.read('/three.pdf', read))['warning']).toContain('no saved version')
  const write = [{ type: 'executeJavascript', script: 'document.cookie = "seen=yes; max-age=1000"' }]
  await fixture.read('/acting', { profile: { name: 'scraper' }, actions: write })

  expect((await fixture.read('/members.pdf', read))['markdown']).toContain('For members')
})
