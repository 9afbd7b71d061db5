import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { fixedPage } from '../lab/pages/page.ts'
import { runCommand } from '../lab/run-command.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site

beforeAll(async () => {
  const body = '<nav><a href="/menu">Menu</a></nav><main><h1>The harbour</h1><p>was <a href="/q">quiet</a></p></main>'
  site = fixture.use(await startSite({ '/article': fixedPage('Harbour', body) }))
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

test('bowline scrape --json prints the whole document', async () => {
  const { out } = await run(site.url('/article'), '--json')

  expect(JSON.parse(out)).toMatchObject({ metadata: { title: 'Harbour', statusCode: 200 } })
})

test('bowline scrape prints the error', async () => {
  const { code, errors } = await run('http://nothing.invalid/')

  expect(code).toBe(1)
  expect(errors).toMatch(/^SCRAPE_DNS_RESOLUTION_ERROR: .*nothing\.invalid/)
})
