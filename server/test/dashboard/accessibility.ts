import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findViolations, rulesOfColours, rulesOfScreens, rulesOfSizes } from '../../../test/lab/axe.ts'
import { respondAs } from './api-states.ts'
import type { DashboardFixture, View } from './dashboard-fixture.ts'
import { dashboardPages } from './dashboard-pages.ts'

const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

/** Path and title of a page. */
type ListedPage = readonly [path: string, title: string]

/** Pages that load nothing: they look the same in all states. */
const staticPages = new Set(['playground', 'playground/map', 'playground/search', 'nowhere'])

/** Tests with axe and the keyboard. Each page is opened once per state and shown on two screens. */
export function testAccessibility(dashboard: () => DashboardFixture): void {
  describe('accessibility', () => {
    let pages: readonly ListedPage[]
    // For all tests, so that the browser starts and compiles axe once.
    let view: View
    beforeAll(async () => {
      view = await dashboard().open('nowhere', { viewport: desk })
      pages = [
        ...dashboardPages.map(([path, title]) => [path, title] as const),
        ['playground/map', 'Playground'],
        ['playground/search', 'Playground'],
        ['nowhere', 'Not found'],
        ...(await createDetailPages(dashboard())),
      ]
    })
    beforeEach(async () => {
      await respondAs(view.page, 'typical')
      await openPage(view.page, 'nowhere', 'Not found')
      view.consoleErrors.length = 0
    })
    afterAll(async () => view[Symbol.asyncDispose]())

    test.each(['typical', 'empty', 'full'] as const)(
      'no page has violations or is too wide, and every control is reached with Tab, in the state %s',
      async (state) => {
        const { page } = view
        await respondAs(page, state)
        // This state repeats the rows of the state typical.
        const hasKnownColours = state === 'full'
        for (const [index, [path, title]] of pages.entries()) {
          if (state !== 'typical' && staticPages.has(path)) continue
          await openPage(page, path, title)
          await showOn(page, desk, 'light')
          expect(await findViolations(page, { hasKnownColours }), `${path} on a desk`).toEqual([])
          await expectFitsPhone(page, path, { hasKnownColours })
          if (state !== 'typical') await expectReachable(page, path, 'main')
          else {
            await expectExactTimesFit(page, path)
            await expectOtherColours(page, path)
            // The menu is the same on all pages.
            await expectReachable(page, path, index === 0 ? 'body' : 'main')
          }
        }
        expect(view.consoleErrors).toEqual([])
      },
    )

    test('every page shows that the API fails or cannot be reached, without violations', async () => {
      const { page } = view
      for (const [path] of pages.filter(([path]) => !staticPages.has(path))) {
        await respondAs(page, 'failing')
        await showOn(page, desk, 'light')
        await page.evaluate(`document.querySelector('.page').dataset.isLast = ''`)
        await page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
        const alerts = page.locator('.page:not([data-is-last]) [role=alert]')
        await alerts.getByText('The database cannot be reached').first().waitFor()
        expect(await page.locator('header p').allTextContents(), path).not.toContain('Loading')
        expect(await alerts.first().innerText(), path).toMatch(/^The database cannot be reached\nINTERNAL\b/)
        // The error has the same colours on all pages.
        const hasKnownColours = path !== 'jobs'
        expect(await findViolations(page, { hasKnownColours }), `${path} on a desk`).toEqual([])
        await expectFitsPhone(page, path, { hasKnownColours })
        await expectReachable(page, path, 'main')

        // Shows the same with another text.
        await respondAs(page, 'offline')
        await page.keyboard.press('r')
        await alerts.getByText('The server is not responding').first().waitFor()
        expect(await findViolations(page, { hasKnownColours: true }), `${path} offline`).toEqual([])
        await expectNothingCut(page, path)
        await expectReachable(page, path, 'main')
      }
      expect(view.consoleErrors).toEqual([])
    })

    test('the sign-in page has no violations, also with an invalid key or without a server', async () => {
      await using signIn = await dashboard().open('', { key: '', viewport: desk })
      const { page } = signIn
      await page.getByLabel('API key').fill('bl-wrong')
      for (const [state, alert] of [
        ['typical', undefined],
        ['typical', 'Invalid API key'],
        ['offline', 'The server is not responding'],
      ] as const) {
        await respondAs(page, state)
        if (alert !== undefined) {
          await page.getByLabel('API key').press('Enter')
          await page.getByRole('alert').filter({ hasText: alert }).waitFor()
        }
        await showOn(page, desk, 'light')
        expect(await findViolations(page), `${alert}`).toEqual([])
        await expectFitsPhone(page, `${alert}`, { hasKnownColours: false })
        await expectOtherColours(page, `${alert}`)
        await expectReachable(page, `${alert}`, 'body')
      }
      expect(signIn.consoleErrors).toEqual([])
    })

    test.each([
      ['sessions', 'Sessions', 'n'],
      ['jobs', 'Jobs', 'n'],
      ['monitors', 'Monitors', 'n'],
      ['keys', 'Keys', 'n'],
      ['teams', 'Teams', 'n'],
      ['profiles', 'Profiles', 'n'],
      ['health', 'Health', '?'],
      ['usage', 'Usage', 'Control+k'],
    ])('the dialog on %s has no violations', async (path, title, key) => {
      const { page } = view
      await openPage(page, path, title)
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      await page.evaluate(unfold)

      await showOn(page, desk, 'dark')
      expect(await findViolations(page)).toEqual([])
      await showOn(page, phone, 'light')
      expect(await findViolations(page, { rules: rulesOfScreens })).toEqual([])
      expect(await page.evaluate(`document.querySelector('dialog').scrollWidth`)).toBeLessThanOrEqual(phone.width)
      await page.keyboard.press('Escape')
    })
  })
}

const maxTabs = 300

/** Holds Tab until every control in an element had the focus, and showed it. */
async function expectReachable(page: Page, path: string, root: 'body' | 'main'): Promise<void> {
  await page.evaluate(`window.focus_ ??= ${focusRecorder}; focus_.start('${root}')`)
  const listMissing = async () => page.evaluate<readonly string[]>('focus_.missing()')
  let missing = await listMissing()
  for (let rest = maxTabs; missing.length > 0 && rest > 0; missing = await listMissing()) {
    // Each control takes at least one.
    for (let tabs = missing.length; tabs > 0; tabs -= 1, rest -= 1) await page.keyboard.down('Tab')
  }
  await page.keyboard.up('Tab')
  expect(missing, `not reached on ${path}`).toEqual([])
  expect(await page.evaluate('focus_.unmarked'), `without a ring on ${path}`).toEqual([])
}

/** Opens the folded parts of forms. */
const unfold = `document.querySelectorAll('.fold').forEach((fold) => (fold.open = true))`

/** Records the controls that had the focus, and those of them that looked the same with it. */
const focusRecorder = `(() => {
  const recorder = { unmarked: [] }
  let reached = new Set()
  let root = document.body
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex]'
  const describe = (control) => control.outerHTML.slice(0, 120)
  document.addEventListener('focusin', ({ target }) => {
    reached.add(target)
    // It takes the focus from the menu, and has no ring.
    if (target.id === 'main') return
    // The box around a search field has the ring.
    const styles = [target, target.closest('label') ?? target].map((element) => getComputedStyle(element))
    if (styles.every(({ outlineStyle }) => outlineStyle === 'none')) recorder.unmarked.push(describe(target))
  })
  recorder.start = (name) => {
    reached = new Set()
    root = document.querySelector(name)
    document.activeElement.blur()
    if (name === 'main') root.focus()
  }
  recorder.missing = () => [...root.querySelectorAll(selector)]
    .filter((control) => control.tabIndex >= 0 && !control.disabled && control.checkVisibility())
    .filter((control) => !reached.has(control))
    .map(describe)
  return recorder
})()`

async function openPage(page: Page, path: string, title: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
  await page.locator('h1', { hasText: title }).waitFor()
  await page.locator('[role=status][aria-label=Loading]').waitFor({ state: 'detached' })
  await page.evaluate(unfold)
}

async function expectFitsPhone(
  page: Page,
  path: string,
  { hasKnownColours }: { readonly hasKnownColours: boolean },
): Promise<void> {
  await showOn(page, phone, 'dark')
  const rules = hasKnownColours ? rulesOfSizes : rulesOfScreens
  expect(await findViolations(page, { rules }), `${path} on a phone`).toEqual([])
  await expectNothingCut(page, path)
}

/** Checks that neither the page nor a table is wider than a phone. */
async function expectNothingCut(page: Page, path: string): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(phone.width)
  expect(await page.evaluate(cutTables), `cut on ${path}`).toEqual([])
}

/** Checks that no table is cut on a phone with exact times, which are longer. */
async function expectExactTimesFit(page: Page, path: string): Promise<void> {
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('t')
  expect(await page.locator('time[data-style=relative]').count(), path).toBe(0)
  await expectNothingCut(page, `${path} with exact times`)
  await page.keyboard.press('t')
}

/** Checks the colours that the other checks do not show: those of a dark desk and a light phone. */
async function expectOtherColours(page: Page, path: string): Promise<void> {
  for (const [screen, theme] of [
    [phone, 'light'],
    [desk, 'dark'],
  ] as const) {
    await showOn(page, screen, theme)
    expect(await findViolations(page, { rules: rulesOfColours }), `${path}, ${theme}, ${screen.width} px`).toEqual([])
  }
}

/** Names of the tables that are wider than the screen. */
const cutTables = `[...document.querySelectorAll('.table-box')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((box) => box.querySelector('table').ariaLabel)`

async function showOn(page: Page, viewport: typeof desk, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
}

/** Has no address, so that its scrape fails with a long code. */
const longUrl = `https://no-such-host.invalid/${'long-path/'.repeat(12)}`

/** Creates one of each thing that has a page of its own, and returns these pages. */
async function createDetailPages({ lab, site }: DashboardFixture): Promise<readonly ListedPage[]> {
  const url = site.url('/prices')
  const post = async (path: string, body: unknown) => (await lab.api('POST', path, body)).body
  const [live, ended, recorded] = await Promise.all([
    lab.createSession({ name: 'Live session' }),
    lab.createSession({
      name: 'Ended session',
      metadata: { customer: 'a-long-name-'.repeat(6) },
      extraHeaders: { 'https://a.test': { 'x-key': 'secret' } },
    }),
    lab.createSession({ name: 'Recorded session', record: true, profile: { name: 'shop', saveChanges: true } }),
  ])
  await lab.api('DELETE', `/v2/browser/${ended.id}`)
  await lab.api('DELETE', `/v2/browser/${recorded.id}`)
  const webhook = { url: site.url('/links'), events: ['completed'] }
  const batch = await post('/v2/batch/scrape', { urls: [url, 'http://10.0.0.1/'], webhook })
  const monitor = await post('/v2/monitor', {
    name: 'Berths',
    schedule: { text: 'daily' },
    targets: [{ type: 'scrape', urls: [url] }],
  })
  const deliveries = async () =>
    (await lab.api('GET', '/v2/team/webhooks/deliveries')).body['data'] as { readonly id: string }[]
  const delivery = await vi.waitFor(async () => {
    const [first] = await deliveries()
    if (first === undefined) throw new Error('No webhook was delivered')
    return first
  }, 10_000)
  const check = await post(`/v2/monitor/${monitor['data'].id}/run`, {})
  const [crawl, extraction, agent] = await Promise.all([
    post('/v2/crawl', { url, limit: 1 }),
    post('/v2/extract', { urls: [url], prompt: 'Which boats?' }),
    post('/v2/agent', { urls: [url], prompt: 'Which boats?' }),
  ])
  for (const path of [
    `crawl/${crawl['id']}`,
    `extract/${extraction['id']}`,
    `agent/${agent['id']}`,
    `monitor/${monitor['data'].id}/checks/${check['id']}`,
  ]) {
    await vi.waitFor(async () => {
      const { body } = await lab.api('GET', `/v2/${path}`)
      if ((body['data']?.status ?? body['status']) !== 'completed') throw new Error(`${path} has not completed`)
    }, 10_000)
  }
  const scrape = await post('/v2/scrape', { url })
  // The newest calls, so that they are in the first rows of the activity.
  await post('/v2/scrape', { url: longUrl })
  await post('/v2/batch/scrape', { urls: [url, longUrl] })
  return [
    [`sessions/${live.id}`, 'Live session'],
    [`sessions/${ended.id}`, 'Ended session'],
    [`sessions/${recorded.id}`, 'Recorded session'],
    ['profiles/shop', 'shop'],
    [`jobs/batch_scrape/${batch['id']}`, 'Batch'],
    [`jobs/crawl/${crawl['id']}`, 'Crawl'],
    [`jobs/extract/${extraction['id']}`, 'Extraction'],
    [`jobs/agent/${agent['id']}`, 'Agent'],
    [`scrapes/${scrape['data'].metadata.scrapeId}`, 'Scrape'],
    [`monitors/${monitor['data'].id}`, 'Berths'],
    [`monitors/${monitor['data'].id}/${check['id']}`, 'Check'],
    [`webhooks/${delivery.id}`, 'completed'],
  ]
}
