import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../../test/lab/site.ts'
import { startHttpUpstream } from '../../egress/upstream-server.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

function bar(buttons: string) {
  return `<div class="our-bar" style="position:fixed;bottom:0;left:0;right:0;background:#eee">
     <p>We use cookies to improve your experience. Read our privacy policy.</p>${buttons}</div>`
}
function says(word: string) {
  return `document.querySelector('.our-bar').remove(); choice.textContent = '${word}'`
}

const pages = {
  '/news': fixedPage(
    'News',
    `<h1>News</h1><p id="said">The harbour was quiet.</p><script src="/sponsors/banner.js"></script>
     <script src="/sponsors/ours.js"></script>`,
  ),
  '/ports': fixedPage(
    'Ports',
    ['ads.doubleclick.net', 'ads.doubleclick.net:8080', 'doubleclick.net:8080']
      .map((host) => `<script src="http://${host}/ad.js"></script>`)
      .join('') + '<script src="http://ours.example:8080/ours.js"></script><h1>News</h1>',
  ),
  '/sponsors/banner.js': fixedPage('', 'said.textContent = "Buy now"'),
  '/sponsors/ours.js': fixedPage('', ''),
  '/banner': fixedPage(
    'Banner',
    `<h1>News</h1><p>The harbour was quiet.</p><p id="choice">none</p>
     ${bar(`<button onclick="${says('accepted')}">Accept all</button><button onclick="${says('rejected')}">Reject all</button>`)}`,
  ),
  '/framed-banner': fixedPage(
    'Framed banner',
    `<h1>News</h1><p id="choice">none</p><iframe title="Cookie consent" src="/consent" style="position:fixed;bottom:0"></iframe>
     <script>onmessage = (event) => { choice.textContent = event.data; document.querySelector('iframe').remove() }</script>`,
  ),
  // A banner like those of Piano, which are in frames.
  '/consent': fixedPage(
    'Consent',
    `<div id="piano-cookie_banner">We use cookies <button data-close-button onclick="parent.postMessage('rejected', '*')">No</button></div>`,
  ),
}

const fixture = new AsyncDisposableStack()
let scraping: ScrapeFixture
let elsewhere: Site

beforeAll(async () => {
  const lists = fixture.use(
    await startSite({ '/list.txt': ({ response }) => void response.end('[Adblock Plus 2.0]\n/sponsors/banner.\n') }),
  )
  // All other hosts, with any name and port.
  elsewhere = fixture.use(await startSite({ '/ad.js': fixedPage('', ''), '/ours.js': fixedPage('', '') }))
  const upstream = fixture.use(await startHttpUpstream(elsewhere.port))
  const proxyBasic = `http://127.0.0.1:${upstream.port}`
  scraping = fixture.use(await startScrapeFixture({ adLists: [lists.url('/list.txt')], proxyBasic }, pages))
  await lists.requests.waitFor('/list.txt')
})
afterAll(async () => fixture.disposeAsync())

function askedFor(path: string): number {
  return scraping.site.requests.all.filter((request) => request.path === path).length
}

describe('advertisements', () => {
  test.each([
    [true, ['/ours.js']],
    [false, ['/ad.js', '/ad.js', '/ad.js', '/ours.js']],
  ])('from hosts of advertisers are not requested on any port: %s', async (blockAds, expected) => {
    const before = elsewhere.requests.all.length

    await scraping.read('/ports', { waitFor: 1, blockAds })

    const asked = elsewhere.requests.all.slice(before).map(({ path }) => path)
    expect(asked.toSorted()).toEqual(expected)
  })

  test('on a block list are not requested, and the rest of the page is', async () => {
    // The list applies from the first page after it was loaded.
    await vi.waitFor(
      async () => {
        const before = askedFor('/sponsors/banner.js')
        await scraping.read('/news', { waitFor: 1 })
        expect(askedFor('/sponsors/banner.js')).toBe(before)
      },
      { timeout: 20_000 },
    )
    expect(askedFor('/sponsors/ours.js')).toBeGreaterThan(0)
  })

  test('are requested with `blockAds: false`, and custom headers are sent either way', async () => {
    const before = askedFor('/sponsors/banner.js')
    const headers = { 'x-team': 'blue' }

    await scraping.read('/news', { waitFor: 1, blockAds: false, headers })
    await scraping.read('/news', { waitFor: 1, headers })

    expect(askedFor('/sponsors/banner.js')).toBe(before + 1)
    expect(scraping.site.requests.all.slice(-1)[0]?.headers['x-team']).toBe('blue')
  })
})

describe('a cookie consent banner', () => {
  test.each(['/banner', '/framed-banner'])('is rejected: %s', async (path) => {
    const { markdown } = await scraping.read(path, { waitFor: 1, onlyMainContent: false })

    expect(markdown).toContain('rejected')
    expect(markdown).not.toContain('We use cookies')
  })

  test('is left untouched with `blockAds: false`', async () => {
    const { markdown } = await scraping.read('/banner', { waitFor: 1, blockAds: false, onlyMainContent: false })

    expect(markdown).toContain('none')
    expect(markdown).toContain('We use cookies')
  })
})
