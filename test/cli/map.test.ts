import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand } from '../lab/run-command.ts'
import { startSite, type Site } from '../lab/site.ts'
import { linksTo, sitemapOf } from '../../server/test/map/fixture.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let home: string

beforeAll(async () => {
  lab = fixture.use(await startLab())
  site = fixture.use(
    await startSite({ '/': linksTo('/prices'), '/lonely': linksTo(), '/sitemap.xml': sitemapOf('/about') }),
  )
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
})

afterAll(async () => fixture.disposeAsync())

async function run(...args: readonly string[]) {
  return runCommand(['map', ...args], { env: { HOME: home, BOWLINE_DATA_DIR: lab.dataDir } })
}

test('map prints a JSON line for each page when piped', async () => {
  const { code, lines, errors } = await run(site.url('/'))

  expect(code, errors).toBe(0)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { url: site.url('/'), title: 'Links' },
    { url: site.url('/prices') },
    { url: site.url('/about') },
  ])
})

test('map --plain prints URLs, best matches first with --search', async () => {
  const { lines } = await run(site.url('/'), '--plain', '--search', 'prices', '--limit', '1')

  expect(lines).toEqual([site.url('/prices')])
})

test('map --json prints the whole response', async () => {
  const { lines } = await run(site.url('/'), '--json', '--sitemap', 'only')

  expect(JSON.parse(lines.join('\n'))).toMatchObject({ id: expect.any(String), links: [{ url: site.url('/about') }] })
})

test('warnings of a map go to standard error', async () => {
  const { lines, errors } = await run(site.url('/lonely'), '--plain')

  expect(lines).toEqual([site.url('/lonely'), site.url('/about')])
  expect(errors).toContain('No pages were found under /lonely')
})

test('map of a private address fails with EGRESS_REFUSED', async () => {
  const { code, errors } = await run('http://10.0.0.1/')

  expect(code).toBe(1)
  expect(errors).toMatch(/^EGRESS_REFUSED: /)
})
