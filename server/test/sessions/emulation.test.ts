import type { Page } from 'playwright-core'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionOptions } from '../../../src/contract.ts'
import { Bowline, type Session } from '../../../src/index.ts'
import { playwright } from '../../../src/playwright.ts'
import { puppeteer } from '../../../src/puppeteer.ts'
import { sendHtml, sendScript } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openServer, type OpenServer } from '../egress/open-page.ts'

/** Facts that code reads about its browser, in a page, a frame or a worker. */
const facts = `({
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  offset: new Date(0).getTimezoneOffset(),
  languages: [navigator.language, ...navigator.languages],
  locale: Intl.NumberFormat().resolvedOptions().locale,
  number: (1.5).toLocaleString(),
  userAgent: navigator.userAgent,
  hints: navigator.userAgentData && [navigator.userAgentData.platform, navigator.userAgentData.brands[0].version],
})`

const windowFacts = `Object.assign(${facts}, {
  inner: [innerWidth, innerHeight], screen: [screen.width, screen.height], ratio: devicePixelRatio })`

const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const emulated = {
  viewport: { width: 900, height: 700, deviceScaleFactor: 2 },
  timezone: 'Asia/Tokyo',
  locale: 'de-AT',
  userAgent,
  geolocation: { latitude: 48.2, longitude: 16.4 },
} satisfies CreateSessionOptions

const expected = {
  timezone: 'Asia/Tokyo',
  offset: -540,
  languages: ['de-AT', 'de-AT', 'de'],
  locale: 'de-AT',
  number: '1,5',
  userAgent,
  hints: ['Windows', '140'],
}

const sitePages = {
  // Read by the first script of the page, before anything else could change them.
  '/facts': (exchange: Parameters<typeof sendHtml>[0]) =>
    sendHtml(
      exchange,
      'Facts',
      `<script>
      // A frame of another site gets its size after its first script, often without an event.
      const tell = () => {
        if (innerWidth === 0) return setTimeout(tell, 10)
        facts = ${windowFacts}
        ;(opener ?? parent).postMessage(facts, '*')
      }
      tell()
    </script>`,
    ),
  '/worker.js': (exchange: Parameters<typeof sendHtml>[0]) =>
    sendScript(
      exchange,
      `const first = ${facts}; addEventListener('connect', (event) => event.ports[0].postMessage(first))
       addEventListener('message', (event) => event.source.postMessage(first)); self.postMessage?.(first)`,
    ),
}

/** Scripts that resolve to the facts, as code outside of the page reads them. */
const realms = {
  'a popup': `new Promise((done) => { onmessage = ({ data }) => done(data); open('/facts') })`,
  'a frame of another site': `new Promise((done) => {
    onmessage = ({ data }) => done(data)
    document.body.append(Object.assign(document.createElement('iframe'), { src: CROSS })) })`,
  'a worker': `new Promise((done) => { new Worker('/worker.js').onmessage = ({ data }) => done(data) })`,
  'a shared worker': `new Promise((done) => { new SharedWorker('/worker.js').port.onmessage = ({ data }) => done(data) })`,
  'a service worker': `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
    .then(({ active }) => new Promise((done) => {
      navigator.serviceWorker.onmessage = ({ data }) => done(data); active.postMessage(1) }))`,
} as const

describe.each(['shell', 'chromium'] as const)('a session that emulates a device in %s', (kind) => {
  let undo: AsyncDisposableStack
  let site: Site
  let open: OpenServer
  let bowline: Bowline
  let session: Session
  let page: Page
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite(sitePages))
    open = undo.use(await openServer({ browser: kind, warm: 0, allow: ['127.0.0.1'] }))
    bowline = undo.use(new Bowline({ baseUrl: open.server.url, apiKey: open.server.apiKey, reaper: false }))
    session = undo.use(
      await bowline.sessions.create({
        ...emulated,
        extraHeaders: { [site.url('')]: { 'x-key': 'secret', referer: 'https://a.test/?secret' } },
      }),
    )
    const connected = undo.use(await playwright.connect(session))
    page = connected.page
    await page.goto(site.url('/facts'))
  })
  afterAll(async () => undo.disposeAsync())

  // The toolbar is part of the screen.
  const screen = [900, kind === 'chromium' ? 787 : 700]
  const inWindow = { ...expected, inner: [900, 700], screen, ratio: 2 }

  test('shows it to the first script of its page', async () => {
    expect(await page.evaluate('facts')).toEqual(inWindow)
  })

  test.each(Object.entries(realms))('shows it to %s', async (realm, script) => {
    const seen = await page.evaluate(script.replace('CROSS', JSON.stringify(site.crossUrl('/facts'))))

    const frame = { ...inWindow, inner: [300, 150] }
    expect(seen).toEqual(realm === 'a popup' ? inWindow : realm.startsWith('a frame') ? frame : expected)
  })

  test('shows it to pages of new contexts, unless the client emulates another one', async () => {
    const browser = page.context().browser()!
    const plain = await browser.newContext({ viewport: null })
    const own = await browser.newContext({
      viewport: { width: 500, height: 400 },
      timezoneId: 'Europe/Paris',
      locale: 'fr-FR',
    })

    const [seen, seenInOwn] = await Promise.all(
      [plain, own].map(async (context) => {
        const tab = await context.newPage()
        await tab.goto(site.url('/facts'))
        return tab.evaluate('facts')
      }),
    )

    expect(seen).toEqual(inWindow)
    expect(seenInOwn).toMatchObject({ timezone: 'Europe/Paris', languages: ['fr-FR', 'fr-FR'], locale: 'fr-FR' })
    expect(seenInOwn).toMatchObject({ userAgent, hints: ['Windows', '140'], inner: [500, 400], ratio: 1 })
    await Promise.all([plain.close(), own.close()])
  })

  test('sends headers that agree with it, from the first request on', async () => {
    for (const path of ['/facts', '/worker.js']) {
      const headers = site.requests.all.find((request) => request.path === path)?.headers
      expect(headers).toMatchObject({ 'accept-language': 'de-AT,de;q=0.9', 'user-agent': userAgent })
    }
    const { headers } = site.requests.all.find(({ path }) => path === '/facts')!
    expect(headers).toMatchObject({ 'sec-ch-ua-platform': '"Windows"' })
  })

  test('adds headers to the requests to an origin, and to no other', async () => {
    const keyOf = async (path: string) => (await site.requests.waitFor(path)).headers['x-key']
    expect([await keyOf('/facts'), await keyOf('/worker.js')]).toEqual(['secret', 'secret'])
    expect(site.requests.all.filter(({ headers }) => headers.host?.startsWith('localhost'))).not.toHaveLength(0)

    const redirects = [site.crossUrl('/away'), site.crossUrl(`/redirect?to=${encodeURIComponent(site.url('/back'))}`)]
    for (const to of redirects) {
      const url = `/redirect?to=${encodeURIComponent(to)}`
      await page.evaluate(`fetch(${JSON.stringify(url)}, { mode: 'no-cors' }).then(() => {}, () => {})`)
    }
    await page.evaluate(`fetch('/own', { headers: { 'X-Key': 'own' } }).then(() => {})`)

    expect([await keyOf('/back'), await keyOf('/own')]).toEqual(['secret', 'own'])
    const popup = await page.context().newPage()
    await popup.goto(site.url(`/redirect?to=${encodeURIComponent(site.crossUrl('/away'))}`))
    await popup.close()
    const others = site.requests.all.filter(({ headers }) => headers.host?.startsWith('localhost'))
    expect(others.map(({ path }) => path)).toContain('/away')
    expect(others.filter(({ headers }) => JSON.stringify(headers).includes('secret'))).toEqual([])
  })

  test('shows the position without a prompt, and gives way to a client while it emulates another one', async () => {
    const read = `new Promise((done, fail) => navigator.geolocation.getCurrentPosition(
      ({ coords }) => done([coords.latitude, coords.longitude, coords.accuracy]), fail))`
    expect(await page.evaluate(read)).toEqual([48.2, 16.4, 1])

    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Emulation.setGeolocationOverride', { latitude: 1, longitude: 2, accuracy: 3 })
    await cdp.send('Emulation.setLocaleOverride', { locale: 'fr-FR' })
    expect(await page.evaluate(read)).toEqual([1, 2, 3])
    expect(await page.evaluate(facts)).toMatchObject({ locale: 'fr-FR' })

    await cdp.detach()
    await expect.poll(async () => page.evaluate(read)).toEqual([48.2, 16.4, 1])
    await expect.poll(async () => page.evaluate(facts)).toEqual(expected)
  })

  test('gives way to a client also in a popup, which shares the process of its opener', async () => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('/facts')`)])
    await popup.waitForLoadState()
    const cdp = await page.context().newCDPSession(popup)
    await cdp.send('Emulation.setLocaleOverride', { locale: 'fr-FR' })

    expect(await popup.evaluate(facts)).toMatchObject({ locale: 'fr-FR' })
    await expect(cdp.send('Emulation.setLocaleOverride', { locale: 'x'.repeat(300) })).rejects.toThrow(
      '(Emulation.setLocaleOverride): Invalid locale name',
    )
    await popup.close()
    await expect.poll(async () => page.evaluate(facts)).toEqual(expected)
  })

  test('keeps it when a shared worker ends that was there while a client replaced it', async () => {
    for (let round = 0; round < 4; round += 1) {
      await page.evaluate(realms['a shared worker'])
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('/facts')`)])
      await popup.waitForLoadState()
      const cdp = await page.context().newCDPSession(popup)
      await cdp.send('Emulation.setLocaleOverride', { locale: 'fr-FR' })
      await popup.close()
      await expect.poll(async () => page.evaluate(facts)).toEqual(expected)

      await page.reload()

      expect(await page.evaluate('facts')).toEqual(inWindow)
    }
  })

  test('shows it to a popup whose opener has closed or left its site', async () => {
    for (const leave of ['close', 'goto'] as const) {
      const opener = await page.context().newPage()
      await opener.goto(site.url('/facts'))
      const [popup] = await Promise.all([opener.waitForEvent('popup'), opener.evaluate(`void open('/facts')`)])
      await popup.waitForLoadState()

      await (leave === 'close' ? opener.close() : opener.goto(site.crossUrl('/')))

      await expect.poll(async () => popup.evaluate(facts), { message: leave }).toEqual(expected)
      await Promise.all([popup.close(), opener.close()])
    }
  })

  test('has its size in the live view', async () => {
    const url = session.liveViewUrl.replace('http', 'ws').replace('?', '/socket?')
    const socket = new WebSocket(url)
    await page.bringToFront()
    const frame = new Promise<Buffer>((done) => {
      socket.on('message', (data: Buffer, isBinary) => isBinary && done(data))
    })
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'looks', isVisible: true, width: 1800, height: 1400 }))
    })

    const [width, height] = await frame.then((data) => [data.readUInt16BE(2), data.readUInt16BE(4)])

    expect([width, height]).toEqual([900, 700])
    socket.terminate()
  })

  test('keeps it after screenshots, and shows it to Puppeteer', async () => {
    await page.bringToFront()
    await page.screenshot({ fullPage: true })
    expect(await page.evaluate(windowFacts)).toEqual(inWindow)

    await using connected = await puppeteer.connect(session)
    await connected.page.reload()
    expect(await connected.page.evaluate('facts')).toEqual(inWindow)
  })

  if (kind === 'chromium') return

  test.each([
    [{ timezone: 'Europe/Atlantis' }, 'must be a time zone of the IANA database'],
    [{ extraHeaders: { 'https://a.test': { Host: 'b.test' } } }, 'the browser decides on this header'],
    [{ extraHeaders: { 'a.test': { 'x-a': '1' } } }, 'must be an origin, such as https://api.example.com'],
  ])('names the remedy in the error of bad values: %o', async (options, message) => {
    const response = await open.create(options)

    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
  })
})
