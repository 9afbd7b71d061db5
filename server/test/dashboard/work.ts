import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Jobs and monitors. */
export function testWork(dashboard: () => DashboardFixture): void {
  test('a batch shows its pages, its errors and its completion', async () => {
    await using view = await dashboard().open('jobs')
    const { page } = view
    await page.getByText('No jobs in the last 24 hours').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('URLs', { exact: true }).fill(`${dashboard().site.url('/prices')}\nhttp://10.0.0.1/`)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('completed').waitFor()

    await page.locator('summary', { hasText: dashboard().site.url('/prices') }).click()
    await page.getByText('# Prices').waitFor()
    await page.getByRole('table', { name: 'Errors' }).getByText('http://10.0.0.1/').waitFor()
    await page.locator('.stat', { hasText: 'Pages' }).getByText('1 failed').waitFor()
    await page.locator('.stat', { hasText: 'Pages' }).getByText('1 of 2').waitFor()
    expect(await page.getByRole('progressbar', { name: 'Pages done' }).getAttribute('max')).toBe('2')
    await page
      .locator('.lead')
      .getByText(`${dashboard().site.url('/prices')} and 1 more`)
      .waitFor()
    expect(await page.title()).toBe(`Batch ${dashboard().site.url('/prices')} · Bowline`)
    await page.getByText('1 page was not scraped. The reasons are under “Errors”.').waitFor()
    const first = page.url()
    await page.getByRole('button', { name: 'Retry the failed page' }).click()
    await page.waitForURL((url) => url.href !== first)
    await page.getByRole('table', { name: 'Errors' }).getByText('http://10.0.0.1/').waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).last().click()
    await page.getByText('1 of 2, 1 failed').waitFor()
    await page.getByText('and 1 more').waitFor()
    // The list shows the 20 most expensive works, and other tests have started more.
    await page.route('**/credit-usage/costs?*', async (route) =>
      route.continue({ url: route.request().url().replace('limit=20', 'limit=100') }),
    )
    for (const [path, title, table] of [
      ['activity', 'Activity', 'Activity'],
      ['usage', 'Usage', 'Most expensive work'],
    ] as const) {
      await view.goTo(path, title)
      const row = page.getByRole('table', { name: table }).getByRole('row', { name: dashboard().site.url('/prices') })
      await row.getByText('and 1 more').first().waitFor()
    }
    expect(view.consoleErrors).toEqual([])
  })

  test('all jobs can be reached, searched and filtered, with one request per refresh', async () => {
    const { lab, site } = dashboard()
    const start = async (urls: readonly string[]) => lab.api('POST', '/v2/batch/scrape', { urls })
    // Refused at once, without a browser.
    await Promise.all(Array.from({ length: 26 }, async (_, at) => start([`http://10.0.0.1/page-${at}`])))
    const crawl = await lab.api('POST', '/v2/crawl', { url: site.url('/prices'), limit: 1 })
    await using view = await dashboard().open('nowhere')
    const { page } = view
    await page.locator('h1').waitFor()
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    await view.goTo('jobs', 'Jobs')
    const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr')
    await expect.poll(async () => rows.count()).toBe(25)
    expect(calls).toEqual(['/v2/team/jobs'])

    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(async () => rows.count()).toBeGreaterThan(25)
    await page.keyboard.press('/')
    await page.keyboard.type('PAGE-25')
    await expect.poll(async () => rows.count()).toBe(1)
    await page.getByLabel('Filter by kind').selectOption('Crawl')
    await page.getByText('No job matches.').waitFor()
    await page.getByLabel('Search jobs').fill(String(crawl.body['id']).slice(0, 30))
    await expect.poll(async () => rows.count()).toBe(1)
    await page.getByLabel('Time range').selectOption('Last hour')
    await page.getByLabel('Filter by status').selectOption('ended')
    await rows.getByText('1 of 1').waitFor()
    expect(new URL(page.url()).hash).toContain('kind=crawl')
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    expect(await readFile(await saved.path(), 'utf8')).toContain(
      `,crawl,${crawl.body['id']},${site.url('/prices')},completed,1,1,0,`,
    )
    await page.keyboard.press('Control+k')
    await page.keyboard.type(String(crawl.body['id']).slice(0, 30))
    await page.getByRole('option', { name: `${crawl.body['id']} Crawl` }).click()
    await page.locator('h1', { hasText: 'Crawl' }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('a crawl can be cancelled while it waits for a page', async () => {
    await using view = await dashboard().open('jobs')
    const { page } = view
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByRole('tab', { name: 'Crawl' }).click()
    await page.getByLabel('Site', { exact: true }).fill(dashboard().site.url('/never-answers'))
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()

    await page.getByText('cancelled').waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('a batch starts with the options of its form, and the URLs it skips are named', async () => {
    await using view = await dashboard().open('jobs')
    const { page } = view
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByLabel('URLs', { exact: true }).fill(`${dashboard().site.url('/berth')}\nno:url`)
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Product').check()
    await page.getByLabel('Main content only').uncheck()
    await page.getByLabel('Wait after loading').fill('100')
    await page.getByLabel('Use a stored page').selectOption('never')
    await page.getByLabel('Include tags').fill('main')
    await page.getByLabel('Exclude tags').fill('.old\n.ad')
    await page.getByLabel('Max concurrency').fill('2')
    await page.getByLabel('Webhook').fill(dashboard().site.url('/links'))
    const request = page.waitForRequest('**/v2/batch/scrape')
    await page.getByRole('button', { name: 'Start' }).click()

    await page.getByText('Skipped as invalid: no:url').waitFor()
    expect((await request).postDataJSON()).toEqual({
      urls: [dashboard().site.url('/berth'), 'no:url'],
      formats: ['markdown', 'product'],
      onlyMainContent: false,
      waitFor: 100,
      maxAge: 0,
      includeTags: ['main'],
      excludeTags: ['.old', '.ad'],
      maxConcurrency: 2,
      webhook: dashboard().site.url('/links'),
    })
    await page.getByText('completed').waitFor()
    await page.locator('.fact', { hasText: 'Only main content' }).getByText('no').waitFor()
    await page.locator('.fact', { hasText: 'Exclude tags' }).getByText('.old').waitFor()
    await page.locator('.fact', { hasText: 'Max age' }).getByText('0 ms', { exact: true }).waitFor()
    await page.locator('summary', { hasText: dashboard().site.url('/berth') }).click()
    await page.getByRole('tab', { name: 'Product' }).click()
    await page.getByText('"title": "Berth 4"').waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('the page of an extraction shows its prompt, and names the options that can contain secrets', async () => {
    const { lab, site } = dashboard()
    const extraction = await lab.api('POST', '/v2/extract', {
      urls: [site.url('/berth')],
      prompt: 'Which boats are red?',
      limit: 3,
      scrapeOptions: { waitFor: 10, headers: { cookie: 'secret' } },
    })
    await using view = await dashboard().open(`jobs/extract/${extraction.body['id']}`)
    const { body } = await lab.api('GET', `/v2/team/jobs/${extraction.body['id']}`)

    await view.page.locator('.fact', { hasText: 'Prompt' }).getByText('Which boats are red?').waitFor()
    await view.page.locator('.fact', { hasText: 'Wait for' }).getByText('10').waitFor()
    await view.page.locator('.fact', { hasText: 'Not shown' }).getByText('scrapeOptions.headers').waitFor()
    expect(body['data']['options']).toEqual({
      prompt: 'Which boats are red?',
      urls: [site.url('/berth')],
      limit: 3,
      scrapeOptions: { waitFor: 10 },
    })
    expect(view.consoleErrors).toEqual([])
  })

  test('the page of a job shows its idempotency key, by which it is found', async () => {
    const { lab, site } = dashboard()
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/json' }
    const started = await fetch(`${lab.server.url}/v2/batch/scrape`, {
      method: 'POST',
      headers: { ...headers, 'x-idempotency-key': 'berths of march' },
      body: JSON.stringify({ urls: [site.url('/berth?march')] }),
    })
    const { id } = (await started.json()) as { id: string }
    await using view = await dashboard().open(`jobs/batch_scrape/${id}`)

    await view.page.getByTitle('Idempotency key').getByText('berths of march').waitFor()
    await view.goTo('jobs', 'Jobs')
    await view.page.getByLabel('Search jobs').fill('berths of')
    const rows = view.page.getByRole('table', { name: 'Jobs' }).getByRole('row')
    await expect.poll(async () => rows.count()).toBe(2)
    await view.page.getByRole('row', { name: site.url('/berth?march') }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('a crawl starts with the options of its form', async () => {
    await using view = await dashboard().open('jobs')
    const { page } = view
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByRole('tab', { name: 'Crawl' }).click()
    await page.getByLabel('Site', { exact: true }).fill(dashboard().site.url('/berth'))
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('HTML', { exact: true }).check()
    await page.getByLabel('Exclude paths').fill('^/berth-')
    await page.getByLabel('Max link depth').fill('1')
    await page.getByLabel('Find pages in').selectOption('links only')
    await page.getByLabel('Delay').fill('0.1')
    const request = page.waitForRequest('**/v2/crawl')
    await page.getByRole('button', { name: 'Start' }).click()

    expect((await request).postDataJSON()).toEqual({
      url: dashboard().site.url('/berth'),
      limit: 50,
      scrapeOptions: { formats: ['markdown', 'html'] },
      delay: 0.1,
      maxDiscoveryDepth: 1,
      excludePaths: ['^/berth-'],
      sitemap: 'skip',
    })
    await page.locator('h1', { hasText: 'Crawl' }).waitFor()
    await page.getByText('completed').waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('a monitor is created, checked twice, and shows changes side by side', async () => {
    await using view = await dashboard().open('monitors')
    const { page } = view
    await page.getByText('No monitors yet').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name').fill('Berths')
    await page.getByLabel('URLs').fill(dashboard().site.url('/prices'))
    await page.getByText(/in the time zone \S+\./).waitFor()
    await page.getByLabel('Schedule').fill('at times')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').getByText('"at times" is not a valid schedule').waitFor()
    await page.getByLabel('Schedule').fill('daily')
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Links', { exact: true }).check()
    await page.getByLabel('Exclude tags').fill('.old')
    // A check always loads its pages.
    expect(await page.getByLabel('Use a stored page').count()).toBe(0)
    const request = page.waitForRequest('**/v2/monitor')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    expect((await request).postDataJSON()['targets']).toEqual([
      {
        type: 'scrape',
        urls: [dashboard().site.url('/prices')],
        scrapeOptions: { formats: ['markdown', 'links'], excludeTags: ['.old'] },
      },
    ])
    expect(await page.locator('.stat', { hasText: 'Schedule' }).textContent()).toContain('daily')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('1 new').first().waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('row', { name: '1 changed' }).getByRole('link').click()
    const diff = page.getByRole('table', { name: 'Before and after' })
    const checkId = page.url().split('/').at(-1) ?? ''
    await page.locator('.lead', { hasText: /completed manual, .+, \d+ credits?/ }).waitFor()

    expect(await diff.locator('del').textContent()).toMatch(/^\d+$/)
    expect(Number(await diff.locator('ins').textContent())).toBeGreaterThan(
      Number(await diff.locator('del').textContent()),
    )
    await page.getByRole('link', { name: 'Berths', exact: true }).click()
    await page.getByLabel('Time range').selectOption('Custom dates')
    await page.getByRole('row', { name: '1 changed' }).waitFor()
    await page.getByLabel('First day').fill('2026-01-02')
    await page.getByLabel('Last day').fill('2026-01-01')
    await page.getByText('No check matches.').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('bert')
    await page.getByRole('option', { name: 'Berths Monitor' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type(checkId)
    await page.getByRole('option', { name: `Berths ${checkId} Check` }).click()
    await diff.locator('del').waitFor()
    await page.getByRole('link', { name: 'Berths', exact: true }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No monitors yet').waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('the next check of a monitor that is late is named as due, with the time since then', async () => {
    const { lab, site } = dashboard()
    const monitor = await lab.api('POST', '/v2/monitor', {
      name: 'Late berths',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: [site.url('/prices')] }],
    })
    await using view = await dashboard().open('nowhere')
    const { page } = view
    await page.route('**/v2/monitor**', async (route) => {
      const response = await route.fetch()
      const nextRunAt = new Date(Date.now() - 180_000).toISOString()
      const text = (await response.text()).replaceAll(/"nextRunAt":"[^"]+"/g, `"nextRunAt":"${nextRunAt}"`)
      await route.fulfill({ response, body: text })
    })
    await view.goTo('monitors', 'Monitors')

    await page.getByRole('row', { name: 'Late berths' }).getByText('was due 3 min ago').last().waitFor()
    await page.getByRole('link', { name: 'Late berths' }).click()
    await page.locator('.stat', { hasText: 'Next check' }).getByText('was due 3 min ago').waitFor()
    await page.getByText('The check has not started yet').waitFor()
    await lab.api('DELETE', `/v2/monitor/${monitor.body['data'].id}`)
    expect(view.consoleErrors).toEqual([])
  })
}
