import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Usage and activity. */
export function testUsage(dashboard: () => DashboardFixture): void {
  test('usage shows credits by day and kind or key, with totals by month, and what cost most', async () => {
    await dashboard().lab.api('POST', '/v2/scrape', { url: dashboard().site.url('/prices'), maxAge: 0 })
    const session = await dashboard().lab.createSession({ name: 'Costly session' })
    await dashboard().lab.api('DELETE', `/v2/browser/${session.id}`)
    const agent = await dashboard().lab.api('POST', '/v2/agent', { prompt: 'Which boats?' })
    await expect
      .poll(async () => (await dashboard().lab.api('GET', `/v2/agent/${agent.body['id']}`)).body['status'])
      .toBe('completed')
    await using view = await dashboard().open('usage')
    await view.page.getByRole('img', { name: 'Credits by day and kind' }).locator('canvas').waitFor()
    const kinds = view.page.getByRole('table', { name: 'Credits by month and kind' })
    await kinds.getByRole('row', { name: 'Sessions' }).waitFor()
    await kinds.getByRole('row', { name: 'Scrapes' }).waitFor()
    const costly = view.page.getByRole('table', { name: 'Most expensive work' })
    expect(await costly.getByRole('link', { name: 'Costly session' }).getAttribute('href')).toBe(
      `#/sessions/${session.id}`,
    )
    expect(await costly.getByTitle(agent.body['id']).getAttribute('href')).toBe(`#/jobs/agent/${agent.body['id']}`)
    expect(await costly.getByTitle(agent.body['id']).textContent()).toBe('Which boats?')
    await view.page.getByRole('tab', { name: 'By key' }).click()
    await view.page.getByRole('img', { name: 'Credits by day and key' }).locator('canvas').waitFor()
    const range = view.page.getByLabel('Time range').first()
    const week = view.page.waitForRequest(/period=day&firstDay=/)
    await range.selectOption('Last 7 days')
    const today = new Date().toISOString().slice(0, 10)
    expect(new URL((await week).url()).searchParams.get('lastDay')).toBe(today)
    await view.page.getByRole('img', { name: 'Credits by day and key' }).locator('canvas').waitFor()
    await range.selectOption('Custom dates')
    await view.page.getByLabel('First day').fill('2026-01-01')
    await view.page.getByLabel('Last day').fill('2026-01-02')
    await view.page.getByText('No usage in this time.').waitFor()
    const { body } = await dashboard().lab.api('GET', '/v2/team/credit-usage/historical')
    const billed = (body['periods'] as { creditsUsed: number }[]).at(-1)?.creditsUsed ?? 0

    expect(billed).toBeGreaterThan(0)
    const row = view.page
      .getByRole('table', { name: 'Credits by month and key' })
      .getByRole('row', { name: 'bootstrap' })
    expect(await row.first().textContent()).toContain(String(billed))
    expect(await view.page.locator('.stat', { hasText: 'Left' }).textContent()).toContain('unmetered')
    expect(view.consoleErrors).toEqual([])
  })

  test('filters that are set before the page is drawn again are all kept', async () => {
    await using view = await dashboard().open('activity?outcome=failed')
    const choose = (label: string, value: string): string =>
      `{ const select = document.querySelector('select[aria-label="${label}"]'); select.value = '${value}'; select.dispatchEvent(new Event('change', { bubbles: true })) }`
    await view.page.getByLabel('Filter by outcome').waitFor()

    await view.page.evaluate(choose('Filter by outcome', '') + choose('Filter by kind', 'scrape'))

    await expect.poll(() => new URL(view.page.url()).hash).toBe('#/activity?endpoint=scrape')
  })

  test('activity lists API calls, loads more, and links to the scraped page', async () => {
    const scrape = async () => dashboard().lab.api('POST', '/v2/scrape', { url: dashboard().site.url('/') })
    // The others find the page in the store.
    await scrape()
    await Promise.all(Array.from({ length: 25 }, scrape))
    await using view = await dashboard().open('activity')
    const rows = view.page.getByRole('table', { name: 'Activity' }).locator('tbody tr')
    await expect.poll(async () => rows.count()).toBe(25)
    await view.page.getByRole('button', { name: 'Load more' }).click()

    await expect.poll(async () => rows.count()).toBeGreaterThan(25)
    const before = await rows.count()
    await scrape()
    await view.page.keyboard.press('r')
    await expect.poll(async () => rows.count()).toBe(before + 1)
    await dashboard().lab.api('POST', '/v2/scrape', { url: 'http://10.0.0.1/lone-refusal' })
    await view.page.getByLabel('Filter by outcome').selectOption('failed')
    await view.page.getByLabel('Search activity').fill('lone-refusal')
    await expect.poll(async () => rows.count()).toBe(1)
    await rows.getByRole('cell', { name: 'EGRESS_REFUSED', exact: true }).waitFor()
    await view.page.getByLabel('Search activity').fill('')
    await view.page.getByLabel('Filter by outcome').selectOption('')
    await view.page.getByLabel('Filter by kind').selectOption('scrape')
    await view.page
      .getByRole('link', { name: dashboard().site.url('/') })
      .first()
      .click()
    await view.page.getByText('Metadata').waitFor()
    expect(view.consoleErrors).toEqual([])
  })
}
