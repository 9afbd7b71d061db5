import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Webhook deliveries. */
export function testWebhooks(dashboard: () => DashboardFixture): void {
  test('a webhook delivery shows its attempts and body and can be sent again', async () => {
    const [url, hook] = [
      dashboard().site.url('/'),
      { url: dashboard().site.url('/links?sent-again'), events: ['completed'] },
    ]
    await dashboard().lab.api('POST', '/v2/batch/scrape', { urls: [url], webhook: hook })
    await using view = await dashboard().open('webhooks')
    const { page } = view
    await page.getByLabel('Search deliveries').fill('sent-again')
    await page
      .getByRole('row', { name: /sent-again delivered/ })
      .getByRole('link')
      .click()
    await page.getByText('"type": "batch_scrape.completed"').waitFor()
    const attempts = page.getByRole('table', { name: 'Attempts' }).locator('tbody tr')
    expect(await attempts.count()).toBe(1)
    await page.getByRole('button', { name: 'Send again' }).click()

    await expect.poll(async () => attempts.count(), { timeout: 10_000 }).toBe(2)
    expect(await attempts.last().textContent()).toContain('200')
    const id = page.url().split('/').at(-1) ?? ''
    await page.keyboard.press('Control+k')
    await page.keyboard.type(id)
    await page.getByRole('option', { name: `${id} Webhook delivery` }).waitFor()
    await page.keyboard.press('Escape')
    expect(view.consoleErrors).toEqual([])
  })

  test('a delivery about a check links to the check', async () => {
    const { lab, site } = dashboard()
    const { body } = await lab.api('POST', '/v2/monitor', {
      name: 'Linked berths',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: [site.url('/prices')] }],
      webhook: { url: site.url('/links?of-a-check'), events: ['monitor.check.completed'] },
    })
    const monitorId = String(body['data'].id)
    const check = await lab.api('POST', `/v2/monitor/${monitorId}/run`, {})
    await using view = await dashboard().open('webhooks?search=of-a-check')
    const { page } = view
    await expect
      .poll(
        async () => {
          await page.keyboard.press('r')
          return page.getByRole('row', { name: 'of-a-check' }).count()
        },
        { timeout: 10_000 },
      )
      .toBe(1)
    await page.getByRole('row', { name: 'of-a-check' }).getByRole('link').click()

    const link = page.locator('.fact', { hasText: 'Check' }).getByRole('link')
    expect(await link.getAttribute('href')).toBe(`#/monitors/${monitorId}/${check.body['id']}`)
    await link.click()
    await page.locator('h1', { hasText: 'Check of Linked berths' }).waitFor()
    await lab.api('DELETE', `/v2/monitor/${monitorId}`)
    expect(view.consoleErrors).toEqual([])
  })

  test('a webhook that cannot be reached shows why, also on a phone', async () => {
    const hook = { url: 'http://127.0.0.1:9/unreachable', events: ['completed'] }
    await dashboard().lab.api('POST', '/v2/batch/scrape', { urls: [dashboard().site.url('/')], webhook: hook })
    await using view = await dashboard().open('webhooks?search=unreachable', { viewport: { width: 390, height: 844 } })
    const row = view.page.getByRole('row', { name: 'unreachable' })

    await row.locator('.narrow', { hasText: 'cannot be reached' }).waitFor()
    await view.page.setViewportSize({ width: 1280, height: 800 })
    await row.getByRole('cell', { name: 'cannot be reached' }).last().waitFor()
    const name = await row.getByRole('link').boundingBox()
    expect(name?.height).toBeLessThan(30)
    await row.getByRole('link').click()
    await view.page.getByTitle('The server still retries this delivery').waitFor()
    expect(view.consoleErrors).toEqual([])
  })
}
