import { createHash } from 'node:crypto'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { browserPaths } from './browser-paths.ts'
import { downloadContent } from './pages/files.ts'
import { startSite } from './site.ts'

async function openPage() {
  const browser = await chromium.launch({ executablePath: browserPaths.shell, chromiumSandbox: false })
  return { page: await browser.newPage(), [Symbol.asyncDispose]: () => browser.close() }
}

test('every page of the site that reports its result reports the expected one', async () => {
  await using site = await startSite()
  await using browser = await openPage()
  const outputs = async (path: string, count = 1) => {
    await browser.page.goto(site.url(path))
    await browser.page.waitForFunction(
      `[...document.querySelectorAll('output')].filter((each) => each.textContent !== '').length === ${count}`,
    )
    return browser.page.locator('output').allTextContents()
  }

  expect(await outputs('/worker')).toEqual(['21'])
  expect(await outputs('/shared-worker')).toEqual(['connected'])
  expect(await outputs('/service-worker')).toEqual(['served by the worker'])
  expect(await outputs('/network', 3)).toEqual(['fetched', 'requested', 'hello'])
  expect(await outputs('/network/many?count=50')).toEqual(['50'])
})

test('frames of two origins each hold their own page', async () => {
  await using site = await startSite()
  await using browser = await openPage()

  await browser.page.goto(site.url('/frames'))
  await browser.page.frameLocator('[name=cross]').getByRole('button').click()

  expect(await browser.page.frameLocator('[name=cross]').locator('output').textContent()).toBe('clicked in cross')
  expect(browser.page.frame('cross')?.url()).toBe(site.crossUrl('/frame?name=cross'))
})

test('both storages and both kinds of cookie are restored', async () => {
  await using site = await startSite()
  await using browser = await openPage()

  await browser.page.goto(site.url('/cookies/set?name=lasting&value=1&maxAge=60'))
  await browser.page.goto(site.url('/cookies/set?name=passing&value=2'))
  await browser.page.goto(site.url('/storage'))
  await browser.page.evaluate('remember("knot")')

  expect(await browser.page.evaluate('recall()')).toEqual({
    localStorage: 'knot',
    indexedDB: 'knot',
    cookies: 'lasting=1; passing=2',
  })
  expect(await (await browser.page.goto(site.url('/cookies')))?.json()).toEqual({ lasting: '1', passing: '2' })
})

test('a download has the requested size and always the same bytes, and an upload returns its hash', async () => {
  await using site = await startSite()
  await using browser = await openPage()
  const content = Buffer.concat([...downloadContent(200_000)])

  const download = Buffer.from(await (await fetch(site.url('/download?bytes=200000'))).arrayBuffer())
  await browser.page.goto(site.url('/upload'))
  await browser.page.setInputFiles('input', { name: 'deck.bin', mimeType: 'application/octet-stream', buffer: content })
  await browser.page.click('button')

  expect(download.equals(content)).toBe(true)
  expect(JSON.parse((await browser.page.textContent('body')) ?? '')).toEqual([
    { name: 'deck.bin', bytes: 200_000, sha256: createHash('sha256').update(content).digest('hex') },
  ])
})

test('closing the site ends responses that never complete', async () => {
  const site = await startSite()
  const answer = fetch(site.url('/never'))
  await site.requests.waitFor('/never')

  await site[Symbol.asyncDispose]()

  await expect(answer).rejects.toThrow('fetch failed')
})
