import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository } from '../../../test/lab/source-tree.ts'
import { ensureDashboard, type DashboardFixture } from './dashboard-fixture.ts'
import { dashboardPages } from './dashboard-pages.ts'

/** Controls without an accessible name, and all `h1` elements but the first. */
const unnamed = `[
  ...[...document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=tab]')]
    .filter((control) => control.checkVisibility())
    .filter((control) => !(control.ariaLabel || control.textContent.trim() || control.labels?.[0]?.textContent.trim())),
  ...[...document.querySelectorAll('h1')].slice(1),
].map((element) => element.outerHTML)`

/** Labels below the menu that are cut, or only for screen readers. */
const hiddenLabels = `[...document.querySelectorAll('footer .tool > span')]
  .filter(({ clientWidth, offsetWidth, scrollWidth, parentElement }) => {
    const { scrollWidth: needed, clientWidth: width } = parentElement
    return offsetWidth < 30 || scrollWidth > Math.max(clientWidth, offsetWidth) || needed > width
  })
  .map(({ textContent }) => textContent)`

/** Titles of the columns that a phone hides and whose text the first row shows elsewhere. */
const movedColumns = `[...document.querySelectorAll('thead .extra')]
  .filter((title) => {
    const row = title.closest('table').querySelector('tbody tr')
    const cell = row.cells[title.cellIndex]
    return !cell.checkVisibility() && row.innerText.includes(cell.textContent.trim())
  })
  .map(({ textContent }) => textContent)`

/** Buttons that show an icon only, and no tooltip. */
const unexplained = `[...document.querySelectorAll('.icon-button')]
  .filter(({ title }) => title === '')
  .map(({ outerHTML }) => outerHTML.slice(0, 120))`

/** Tests of the layout that all pages share, and of how files are served. */
export function testFrame(dashboard: () => DashboardFixture): void {
  test('on a phone, shortcuts listed by `?` open every page, none is too wide, controls have names, the menu opens', async () => {
    await using view = await dashboard().open('sessions', {
      viewport: { width: 360, height: 700 },
      colorScheme: 'dark',
    })
    await view.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()

    for (const [path, title, key] of dashboardPages.toReversed()) {
      await view.page.keyboard.press('g')
      await view.page.keyboard.press(key)
      await view.page.locator('h1', { hasText: title }).waitFor()
      await view.page.locator('[role=status][aria-label=Loading]').waitFor({ state: 'detached' })
      expect(await view.page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360)
      expect(await view.page.evaluate(unnamed), path).toEqual([])
      expect(await view.page.evaluate(unexplained), path).toEqual([])
    }
    await view.page.keyboard.press('/')
    expect(await view.page.evaluate('document.activeElement.ariaLabel')).toBe('Filter sessions')
    await view.page.keyboard.type('g h?')
    expect(await view.page.getByRole('heading', { level: 1 }).textContent()).toBe('Sessions')
    await view.page.getByLabel('Filter sessions').blur()
    await view.page.keyboard.press('?')
    await view.page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    expect(await view.page.evaluate(unexplained)).toEqual([])
    await view.page.keyboard.press('Escape')

    await view.page.getByRole('dialog').waitFor({ state: 'detached' })
    await view.page.getByRole('button', { name: 'Menu' }).click()
    await view.page.getByRole('link', { name: 'Sessions' }).waitFor()
    await view.page.keyboard.press('Escape')
    await view.page.getByRole('link', { name: 'Sessions' }).waitFor({ state: 'hidden' })
    await view.page.getByRole('button', { name: 'Menu' }).click()
    await view.page.getByRole('link', { name: 'Sessions' }).click()
    await view.page.locator('h1', { hasText: 'Sessions' }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('on a phone, rows show the columns that do not fit in their first cell', async () => {
    await dashboard().lab.api('POST', '/v2/batch/scrape', { urls: ['http://10.0.0.1/'] })
    await using view = await dashboard().open('nowhere', { viewport: { width: 390, height: 844 } })

    for (const [path, title, columns] of [
      ['keys', 'Keys', ['Starts with', 'Created']],
      ['teams', 'Teams', ['Created']],
      ['jobs', 'Jobs', ['Kind', 'Started']],
      ['activity', 'Activity', ['API']],
    ] as const) {
      await view.goTo(path, title)
      await view.page.locator('tbody tr').first().waitFor()
      expect(await view.page.evaluate(movedColumns), path).toEqual(expect.arrayContaining([...columns]))
    }
  })

  test('on a phone, the menu stays open when a filter typed before it is applied', async () => {
    await using view = await dashboard().open('sessions', { viewport: { width: 360, height: 700 } })
    await view.page.getByLabel('Filter sessions').fill('shop')
    await view.page.getByRole('button', { name: 'Menu' }).click()
    await view.page.waitForURL(/=shop/)

    await view.page.getByRole('link', { name: 'Sessions' }).click()
    await view.page.waitForURL(/sessions$/)
    await view.page.getByRole('link', { name: 'Sessions' }).waitFor({ state: 'hidden' })
  })

  test('times are shown exactly with a button on a phone and with a key, and the buttons below the menu have labels', async () => {
    await using view = await dashboard().open('teams', { viewport: { width: 390, height: 844 }, hasTouch: true })
    const { page } = view
    const time = (text: RegExp) => page.locator('table time:visible', { hasText: text }).first()
    await dashboard().lab.api('POST', '/v2/scrape', { url: 'http://10.0.0.1/' })
    await view.goTo('activity', 'Activity')
    await time(/ago|just now/).waitFor()
    await page.getByRole('button', { name: 'Menu' }).tap()
    const labels = page.locator('footer .tool > span')
    expect(await labels.allTextContents()).toEqual([
      'Sign out',
      'Theme: system',
      'Times: relative',
      'Shortcuts',
      'API reference',
    ])
    expect(await page.evaluate(hiddenLabels)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await page.evaluate(hiddenLabels)).toEqual([])
    await page.getByRole('link', { name: 'API reference' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Times: relative' }).tap()
    await page.getByRole('button', { name: 'Times: exact' }).waitFor()
    await page.reload()

    await time(/\d:\d\d:\d\d/).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.keyboard.press('t')
    await time(/ago|just now/).waitFor()
  })

  test('a page that throws shows an error, and other pages still work', async () => {
    await using view = await dashboard().open('teams')
    await view.page.getByRole('table', { name: 'Teams' }).waitFor()
    await view.page.route('**/v2/team/activity*', async (route) => route.fulfill({ json: { data: [null] } }))
    await view.page.getByRole('link', { name: 'Activity' }).click()

    await view.page.getByRole('heading', { name: 'This page could not be displayed' }).waitFor()
    await view.page.getByRole('link', { name: 'Teams' }).click()
    await view.page.getByRole('table', { name: 'Teams' }).waitFor()
  })

  test('the API reference opens in a tab of its own, authorized with the key of the dashboard', async () => {
    await using view = await dashboard().open('teams')
    await view.page.getByRole('table', { name: 'Teams' }).waitFor()
    const [reference] = await Promise.all([
      view.page.waitForEvent('popup'),
      view.page.getByRole('link', { name: 'API reference' }).click(),
    ])

    await reference.locator('.auth-wrapper .authorize.locked').waitFor()
    expect(new URL(reference.url()).pathname).toBe('/docs')
    await reference.close()
  })

  test('colours follow the system until a theme is chosen', async () => {
    await using view = await dashboard().open('sessions', { colorScheme: 'dark' })
    const brightness = async (): Promise<number> =>
      view.page.evaluate<number>('Number(getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/)[0])')
    await view.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()

    expect(await brightness()).toBeLessThan(60)
    await view.page.getByRole('button', { name: 'Theme: system' }).click()
    expect(await brightness()).toBeGreaterThan(200)
  })

  describe('the server', () => {
    const page = async (headers = {}) =>
      fetch(dashboard().lab.server.url, { headers: { accept: 'text/html', ...headers } })

    test('sends the page with a strict Content-Security-Policy and no inline script', async () => {
      const answer = await page()
      const html = await answer.text()

      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style| style=| on\w+=/)
    })

    test('sends files compressed and cacheable forever', async () => {
      const script = /src="([^"]+)"/.exec(await (await page()).text())?.[1] ?? ''
      const answer = await fetch(new URL(script, dashboard().lab.server.url), { headers: { 'accept-encoding': 'br' } })

      expect(answer.headers.get('content-encoding')).toBe('br')
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-type')).toContain('javascript')
    })

    test('responds 304 to cached files, and sends them uncompressed if the client accepts no compression', async () => {
      const script = /src="([^"]+)"/.exec(await (await page()).text())?.[1] ?? ''
      const get = async (headers: Readonly<Record<string, string>>, method = 'GET') =>
        fetch(new URL(script, dashboard().lab.server.url), { method, headers })
      const plain = await get({ 'accept-encoding': 'br;q=0, identity' })
      const text = await plain.text()
      const [gzip, head, again] = await Promise.all([
        get({ 'accept-encoding': 'gzip' }),
        get({ 'accept-encoding': 'identity' }, 'HEAD'),
        get({ 'accept-encoding': 'identity', 'if-none-match': plain.headers.get('etag') ?? '' }),
      ])

      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
      expect(plain.headers.get('vary')).toBe('Accept-Encoding')
      expect(gzip.headers.get('content-encoding')).toBe('gzip')
      expect(await gzip.text()).toBe(text)
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
      expect([again.status, await again.text()]).toEqual([304, ''])
    })

    test.each([
      'assets/none.js',
      'index.html',
      'built-from',
      'assets/',
      'assets/..%2Findex.html',
      'assets/..%2F..%2Fcli%2Fmain.js',
      'assets/%2Fetc%2Fpasswd',
      'assets/none%00.js',
    ])('responds to %s as to any unknown route', async (name) => {
      const { status, body } = await dashboard().lab.api('GET', `/dashboard/${name}`)

      expect([status, body['code']]).toEqual([404, 'ROUTE_NOT_FOUND'])
    })
  })

  test('all files together have at most 150 kB compressed, and are built once', async () => {
    const folder = join(repository, 'server/dist/dashboard')
    const built = statSync(join(folder, 'index.html')).mtimeMs
    await ensureDashboard({ root: repository })
    const bytes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.gz'))
      .map((name) => readFileSync(join(folder, name)).length)

    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(150_000)
    expect(statSync(join(folder, 'index.html')).mtimeMs).toBe(built)
  })
}
