import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startSite } from '../../../../test/lab/site.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('a page is waited for while it is empty or only says that it is loading', async () => {
  const later = (text: string) =>
    fixedPage(
      'Late',
      `<div id="root">${text}</div><script>
      setTimeout(async () => {
        const { price } = await (await fetch('/price')).json()
        document.getElementById('root').innerHTML = '<h1>It costs ' + price + '</h1>'
      }, 700)
    </script>`,
    )
  await using site = await startSite({
    '/empty': later(''),
    '/loading': later('<p>Loading…</p>'),
    '/price': ({ response }) => void setTimeout(() => response.end('{"price":7}'), 500),
  })

  for (const path of ['/empty', '/loading']) {
    const { body } = await fixture.lab.api('POST', '/v2/scrape', { url: site.url(path) })

    expect(body['data'].markdown).toBe('# It costs 7\n')
    expect(body['data'].warning).toBeUndefined()
  }
})

test('a page that stays empty has a warning, and is not stored for other scrapes', async () => {
  let isReady = false
  await using site = await startSite({
    '/never': ({ response }) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(
          `<div id="root"></div><script>document.title = 'x'; ${isReady ? "root.textContent = 'Here'" : ''}</script>`,
        ),
  })
  const scrape = async (more = {}) =>
    (await fixture.lab.api('POST', '/v2/scrape', { url: site.url('/never'), ...more })).body['data']

  const first = await scrape()
  const waited = await scrape({ waitFor: 10 })
  isReady = true
  const second = await scrape()

  expect(first.markdown).toBe('')
  expect(first.warning).toContain('waitFor')
  expect(waited.warning).toContain('waitFor')
  expect([second.markdown, second.warning]).toEqual(['Here\n', undefined])
})

test.each([{}, { waitFor: 1 }])('a page without scripts and without text has a warning (%o)', async (options) => {
  await using site = await startSite({
    '/empty': fixedPage('Empty', '<main></main>'),
    '/hidden': fixedPage('Hidden', '<main><button style="display:none">b</button></main>'),
    '/menu': fixedPage('Menu', '<nav><a href="/">Home</a></nav><main></main>'),
    '/image': fixedPage('Image', '<main><img src="/boat.png" alt="boat"></main>'),
  })
  const scrape = async (path: string, more = {}) =>
    (await fixture.lab.api('POST', '/v2/scrape', { url: site.url(path), ...options, ...more })).body['data']

  for (const path of ['/empty', '/hidden']) {
    const [main, all] = [await scrape(path), await scrape(path, { onlyMainContent: false })]
    expect([main.markdown, main.warning]).toEqual([
      '',
      'The main content of the page has no text. `onlyMainContent: false` includes the rest of the page.',
    ])
    expect([all.markdown, all.warning]).toEqual(['', 'The page has no text.'])
  }
  expect((await scrape('/empty', { formats: ['links'] })).warning).toBeUndefined()
  expect((await scrape('/menu', { onlyMainContent: false })).warning).toBeUndefined()
  expect((await scrape('/image')).warning).toBeUndefined()
})

test('a page that is empty because `fastMode` runs no scripts has a warning, and others have none', async () => {
  const warnings = []
  for (const [path, options] of [
    ['/shell', { fastMode: true }],
    ['/shell', {}],
    ['/article', { fastMode: true }],
  ] as const) {
    warnings.push((await fixture.read(path, options))['warning'])
  }

  expect(warnings).toEqual([expect.stringContaining('which do not load with `fastMode`'), undefined, undefined])
})
