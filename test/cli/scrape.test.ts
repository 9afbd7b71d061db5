import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectCdp, openInFirstPage } from '../lab/cdp-socket.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { runCommand } from '../lab/run-command.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site

beforeAll(async () => {
  const body = '<nav><a href="/menu">Menu</a></nav><main><h1>The harbour</h1><p>was <a href="/q">quiet</a></p></main>'
  const offer = { '@type': 'Offer', price: 950, priceCurrency: 'EUR' }
  const data = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Product', name: 'Dinghy', offers: offer })
  const boat =
    `<main><h1>Dinghy</h1><p>It has two oars, a small sail and room for four people with their baggage.</p></main>` +
    `<script type="application/ld+json">${data}</script>` +
    `<section id="comments" class="comments"><h2>Comments</h2><div class="comment"><p>A good boat for a quiet river.</p></div></section>`
  site = fixture.use(await startSite({ '/article': fixedPage('Harbour', body), '/boat': fixedPage('Dinghy', boat) }))
  lab = fixture.use(await startLab())
})
afterAll(async () => fixture.disposeAsync())

async function run(...args: readonly string[]) {
  return runCommand(['scrape', ...args], { env: { BOWLINE_DATA_DIR: lab.dataDir } })
}

test('bowline scrape prints a page as Markdown, or its links one per line', async () => {
  const page = await run(site.url('/article'))
  const links = await run(site.url('/article'), '--format', 'links', '--whole-page')

  expect(page).toMatchObject({ code: 0, out: `# The harbour\n\nwas [quiet](${site.url('/q')})` })
  expect(links.out.split('\n')).toEqual([site.url('/menu'), site.url('/q')])
})

test('bowline scrape prints the attributes of elements after the formats, one per line', async () => {
  const { out, code } = await run(site.url('/article'), '--attribute', 'main a[href]@href', '--attribute', 'nav a@href')
  const wrong = await run(site.url('/article'), '--attribute', 'a', 'b@href')

  expect(code).toBe(0)
  expect(out.split('\n')).toEqual(['# The harbour', '', `was [quiet](${site.url('/q')})`, '/q', '/menu'])
  expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining('name of an attribute') as string })
})

test('bowline scrape prints the product of a page, and keeps comments if asked', async () => {
  const product = await run(site.url('/boat'), '--format', 'product')
  const without = await run(site.url('/boat'))
  const withComments = await run(site.url('/boat'), '--include-comments', '--max-age', '0')

  expect(JSON.parse(product.out)).toMatchObject({ title: 'Dinghy', variants: [{ price: { amount: 950 } }] })
  expect(without.out).not.toContain('A good boat')
  expect(withComments.out).toContain('A good boat')
})

test.each([
  ['--exclude-tags', '--include-tags'],
  ['--exclude', '--include'],
])('bowline scrape takes selectors with %s and %s', async (exclude, include) => {
  const excluded = await run(site.url('/article'), exclude, 'a')
  const included = await run(site.url('/article'), include, 'h1')

  expect(excluded).toMatchObject({ code: 0, out: '# The harbour\n\nwas' })
  expect(included).toMatchObject({ code: 0, out: '# The harbour' })
})

test('bowline scrape --json prints the whole document', async () => {
  const { out } = await run(site.url('/article'), '--json')

  expect(JSON.parse(out)).toMatchObject({ metadata: { title: 'Harbour', statusCode: 200 } })
})

test('bowline scrape --profile loads a page with a profile, and saves it unless told otherwise', async () => {
  const kept = await run(site.url('/article'), '--profile', 'kept')
  const unsaved = await run(site.url('/article'), '--profile', 'unsaved', '--save-profile', 'never')
  const nameless = await run(site.url('/article'), '--save-profile', 'never')

  expect([kept.code, unsaved.code]).toEqual([0, 0])
  expect(nameless).toMatchObject({ code: 2, errors: expect.stringContaining('`--save-profile` needs a profile') })
  const { body } = await lab.api('GET', '/v2/browser/profiles')
  expect(body).toMatchObject({ data: [{ name: 'kept' }] })
})

test('bowline sessions scrape prints the page of a session', async () => {
  const { id, cdpUrl } = await lab.createSession()
  await using client = await connectCdp(cdpUrl)
  await openInFirstPage(client, site.url('/article'))
  const env = { BOWLINE_DATA_DIR: lab.dataDir }

  const page = await runCommand(['sessions', 'scrape', id, '--exclude', 'a'], { env })
  const document = await runCommand(['sessions', 'scrape', id, '--json', '--format', 'links'], { env })
  const missing = await runCommand(['sessions', 'scrape', id, '--target', 'NONE'], { env })

  expect(page).toMatchObject({ code: 0, out: '# The harbour\n\nwas' })
  expect(JSON.parse(document.out)).toMatchObject({ links: [site.url('/q')], metadata: { url: site.url('/article') } })
  expect(missing).toMatchObject({ code: 5, errors: expect.stringMatching(/^TARGET_NOT_FOUND: /) })
})

test('bowline scrape prints the error', async () => {
  const { code, errors } = await run('http://nothing.invalid/')

  expect(code).toBe(1)
  expect(errors).toMatch(/^SCRAPE_DNS_RESOLUTION_ERROR: .*nothing\.invalid/)
})
