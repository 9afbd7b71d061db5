import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixedPage, type Pages } from '../../../../test/lab/pages/page.ts'
import { startSite } from '../../../../test/lab/site.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
  // The timeouts of the tests do not cover the start of a browser on a busy machine.
  await fixture.read('/article', { waitFor: 1 })
})
afterAll(async () => fixture[Symbol.asyncDispose]())

const text = '<h1>Outside</h1><p>The text of the page itself.</p>'

/** Pages of which some never end. */
const pages: Pages = {
  '/never': () => undefined,
  '/part': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.write(`<p>The first part</p>${' '.repeat(5000)}`)
  },
  '/inner': fixedPage('Inner', '<p>Inside</p>'),
  '/frame': fixedPage('Frame', `${text}<iframe src="/never"></iframe>`),
  '/foreign': ({ response, crossOrigin }) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`${text}<iframe src="${crossOrigin}/never"></iframe><iframe src="/part"></iframe>`)
  },
  '/undeclared': ({ response }) => {
    response.setHeader('content-type', 'text/html')
    response.end(`${text}<iframe src="/part"></iframe>`)
  },
  '/added': fixedPage(
    'Added',
    `${text}<script>onload = () => { const frame = document.createElement('iframe'); frame.src = '/never'; document.body.append(frame) }</script>`,
  ),
  '/inside': fixedPage('Inside', `${text}<iframe srcdoc="<iframe src='/never'></iframe>"></iframe>`),
  '/itself': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.write(`${text}${' '.repeat(5000)}`)
  },
  '/polling': fixedPage('Polling', `${text}<script>fetch('/never'); new EventSource('/never')</script>`),
  '/image': fixedPage('Image', `${text}<img src="/never"><script async src="/never"></script>`),
  '/hidden': fixedPage(
    'Hidden',
    `${text}<iframe hidden src="/never"></iframe><iframe width="1" height="1" style="border:0" src="/never"></iframe>`,
  ),
  '/lazy': fixedPage('Lazy', `${text}<div style="height:50000px"></div><iframe loading="lazy" src="/never"></iframe>`),
  '/next': fixedPage(
    'Next',
    `${text}<iframe src="/inner" onload="this.onload = null; setTimeout(() => { this.src = '/never' }, 50)"></iframe>`,
  ),
  '/loaded': ({ response, crossOrigin }) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`${text}<iframe src="/inner"></iframe><iframe src="${crossOrigin}/inner"></iframe><iframe></iframe>`)
  },
}

const before = (what: string): string => `The page was read before ${what}. To wait longer, raise`

test.each([
  ['/frame', before('one of its frames had loaded')],
  ['/foreign', before('2 of its frames had loaded')],
  ['/undeclared', before('one of its frames had loaded')],
  ['/added', before('one of its frames had loaded')],
  ['/inside', before('one of its frames had loaded')],
  ['/itself', before('it had loaded completely')],
])('%s has a warning about what had not loaded, and is not stored', async (path, warning) => {
  await using site = await startSite(pages)
  const scrape = async (options: object) =>
    fixture.lab.api('POST', '/v2/scrape', { url: site.url(path), waitFor: 1, ...options })

  const { data } = (await scrape({ timeout: 6000 })).body

  expect(data.markdown).toContain('The text of the page itself.')
  expect(data.warning).toContain(warning)
  expect((await scrape({ lockdown: true })).status).toBe(404)
})

test.each(['/polling', '/image', '/hidden', '/lazy', '/next', '/loaded'])(
  '%s, whose frames have loaded, has no warning and is stored',
  async (path) => {
    await using site = await startSite(pages)
    const scrape = async (options: object) =>
      fixture.lab.api('POST', '/v2/scrape', { url: site.url(path), waitFor: 1, ...options })

    const { data } = (await scrape({ timeout: 6000 })).body

    expect(data.warning).toBeUndefined()
    expect((await scrape({ lockdown: true })).status).toBe(200)
  },
)
