import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Jobs, monitors, usage and activity. */
export function testWork(desk: () => DashboardFixture): void {
  test('a batch is started, and shows its pages, its errors and its end', async () => {
    await using view = await desk().open('jobs')
    const { page } = view
    await page.getByText('No job in the last 24 hours').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Addresses').fill(`${desk().site.url('/prices')}\nhttp://10.0.0.1/`)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('completed').waitFor()

    await page.getByText(desk().site.url('/prices')).click()
    await page.getByText('# Prices').waitFor()
    await page.getByRole('table', { name: 'Errors' }).getByText('http://10.0.0.1/').waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).last().click()
    await page.getByRole('row', { name: 'Batch' }).getByText('1 of 1').waitFor()
    expect(view.complaints).toEqual([])
  })

  test('a delivery to a webhook shows its tries and its body, and is sent again', async () => {
    const [url, hook] = [desk().site.url('/'), { url: desk().site.url('/links'), events: ['completed'] }]
    await desk().lab.api('POST', '/v2/batch/scrape', { urls: [url], webhook: hook })
    await using view = await desk().open('webhooks')
    const { page } = view
    await page.getByRole('row', { name: 'delivered' }).getByRole('link').click()
    await page.getByText('"type": "batch_scrape.completed"').waitFor()
    const tries = page.getByRole('table', { name: 'Tries' }).locator('tbody tr')
    expect(await tries.count()).toBe(1)
    await page.getByRole('button', { name: 'Send again' }).click()

    await expect.poll(async () => tries.count(), { timeout: 10_000 }).toBe(2)
    expect(await tries.last().textContent()).toContain('200')
    expect(view.complaints).toEqual([])
  })

  test('a crawl is started, and cancelled while it waits for a page', async () => {
    await using view = await desk().open('jobs')
    const { page } = view
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByRole('tab', { name: 'Crawl' }).click()
    await page.getByLabel('Site').fill(desk().site.url('/never-answers'))
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()

    await page.getByText('cancelled').waitFor()
    expect(view.complaints).toEqual([])
  })

  test('a monitor is made, checked twice, and shows what changed side by side', async () => {
    await using view = await desk().open('monitors')
    const { page } = view
    await page.getByText('No monitor yet').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name').fill('Berths')
    await page.getByLabel('Addresses').fill(desk().site.url('/prices'))
    await page.getByLabel('How often').fill('at times')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').getByText('"at times" is no schedule').waitFor()
    await page.getByLabel('How often').fill('daily')
    await page.getByRole('button', { name: 'Make monitor' }).click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('1 new').first().waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('row', { name: '1 changed' }).getByRole('link').click()
    const diff = page.getByRole('table', { name: 'Before and after' })

    expect(await diff.locator('del').textContent()).toMatch(/^\d+$/)
    expect(Number(await diff.locator('ins').textContent())).toBeGreaterThan(
      Number(await diff.locator('del').textContent()),
    )
    await page.getByRole('link', { name: 'Monitor', exact: true }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No monitor yet').waitFor()
    expect(view.complaints).toEqual([])
  })

  test('usage draws what was billed by day and key, and sums it up by month', async () => {
    await desk().lab.api('POST', '/v2/scrape', { url: desk().site.url('/prices'), maxAge: 0 })
    await using view = await desk().open('usage')
    await view.page.getByRole('img', { name: 'Credits by day and key' }).locator('canvas').waitFor()
    const { body } = await desk().lab.api('GET', '/v2/team/credit-usage/historical')
    const billed = (body['periods'] as { creditsUsed: number }[]).at(-1)?.creditsUsed ?? 0

    expect(billed).toBeGreaterThan(0)
    const row = view.page
      .getByRole('table', { name: 'Credits by month and key' })
      .getByRole('row', { name: 'bootstrap' })
    expect(await row.first().textContent()).toContain(String(billed))
    expect(await view.page.locator('.numeral', { hasText: 'Left' }).textContent()).toContain('unmetered')
    expect(view.complaints).toEqual([])
  })

  test('activity lists what was done, loads more of it, and leads to the page that was scraped', async () => {
    await Promise.all(
      Array.from({ length: 26 }, async () => desk().lab.api('POST', '/v2/scrape', { url: desk().site.url('/') })),
    )
    await using view = await desk().open('activity')
    const rows = view.page.getByRole('table', { name: 'Activity' }).locator('tbody tr')
    await expect.poll(async () => rows.count()).toBe(25)
    await view.page.getByRole('button', { name: 'Load more' }).click()

    await expect.poll(async () => rows.count()).toBeGreaterThan(25)
    const before = await rows.count()
    await desk().lab.api('POST', '/v2/scrape', { url: desk().site.url('/') })
    await view.page.keyboard.press('r')
    await expect.poll(async () => rows.count()).toBe(before + 1)
    await view.page.getByLabel('Only of one kind').selectOption('scrape')
    await view.page
      .getByRole('link', { name: desk().site.url('/') })
      .first()
      .click()
    await view.page.getByText('Metadata').waitFor()
    expect(view.complaints).toEqual([])
  })
}
