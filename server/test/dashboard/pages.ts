import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Names of the charts whose labels reach the left edge of the picture, where they are cut off. */
const cutCharts = `[...document.querySelectorAll('.chart')]
  .filter((chart) => {
    const canvas = chart.querySelector('canvas')
    return canvas.getContext('2d').getImageData(0, 0, 1, canvas.height).data.some((value) => value > 0)
  })
  .map(({ ariaLabel }) => ariaLabel)`

/** The playground, keys, teams and health. */
export function testPages(dashboard: () => DashboardFixture): void {
  test('the playground scrapes a page, finds it in a search, and shows both as code', async () => {
    await using view = await dashboard().open('playground')
    const { page } = view
    const url = dashboard().site.url('/prices')
    await page.getByLabel('URL', { exact: true }).fill(url)
    await page.getByLabel('Screenshot').check()
    await page.keyboard.press('Enter')
    await page.getByText('# Prices').waitFor()
    await page.getByRole('tab', { name: 'Screenshot' }).click()
    await page.getByRole('img', { name: 'Screenshot of the page' }).waitFor()

    await expect.poll(async () => page.evaluate(`document.querySelector('.screenshot').naturalWidth`)).toBe(1280)
    expect(await page.getByRole('figure').textContent()).toContain(`bowline.scrape('${url}'`)
    await view.goTo('playground/search', 'Playground')
    await page.getByRole('searchbox').fill('doubloons')
    await page.keyboard.press('Enter')
    await page.getByText('0 results').waitFor()
    expect(await page.locator('.hits').isVisible()).toBe(false)
    await page.getByRole('searchbox').fill('guilders')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Prices' }).click()
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe(url)
    expect(view.consoleErrors).toEqual([])
  })

  test('page content is shown as text, and a URL with an apostrophe is one string in the code', async () => {
    await using view = await dashboard().open('playground')
    const url = `${dashboard().site.url('/said')}?it's`
    await view.page.getByLabel('URL', { exact: true }).fill(url)
    await view.page.keyboard.press('Enter')

    await view.page.locator('pre.output').getByText('picture:javascript:alert(1)').waitFor()
    expect(await view.page.getByRole('figure').textContent()).toContain(`bowline.scrape("${url}"`)
    expect(view.consoleErrors).toEqual([])
  })

  test('the code of the playground prints what the scrape has, and shortcuts work on its checkboxes', async () => {
    await using view = await dashboard().open('playground')
    const { page } = view
    const code = page.getByRole('figure')
    await expect.poll(async () => code.textContent()).toContain('console.log(document.markdown)')
    await page.getByLabel('Links').check()
    await page.getByLabel('Markdown').uncheck()
    expect(await code.textContent()).toContain(`formats: ['links']`)
    expect(await code.textContent()).toContain('console.log(document.links)')

    await page.getByLabel('Screenshot').check()
    await page.keyboard.press('g')
    await page.keyboard.press('k')

    await page.locator('h1', { hasText: 'Keys' }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('the playground offers every format, with its options in the request and in the code', async () => {
    await using view = await dashboard().open('playground')
    const { page } = view
    await page.getByLabel('URL', { exact: true }).fill(dashboard().site.url('/berth'))
    await page.getByLabel('Product').check()
    await page.getByText('More formats').first().click()
    await page.getByLabel('Attributes').check()
    await page.getByLabel('Attributes to read').fill('a.next')
    await page.getByText('More formats').first().click()
    await page.getByRole('button', { name: 'Scrape', exact: true }).click()
    // The form shows the invalid input, which was folded away.
    await expect.poll(async () => page.getByLabel('Attributes to read').isVisible()).toBe(true)
    await page.getByLabel('Attributes to read').fill('a.next href')
    await page.getByText('Include or exclude elements').click()
    await page.getByLabel('Exclude tags').fill('.old')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Scrape', exact: true }).click()
    await page.getByRole('tab', { name: 'Product' }).click()

    await page.locator('pre.output').getByText('"title": "Berth 4"').waitFor()
    await page.getByRole('tab', { name: 'Attributes' }).click()
    await page.locator('pre.output').getByText('/berth-5').waitFor()
    const code = await page.getByRole('figure').textContent()
    expect(code).toContain(`'product'`)
    expect(code).toContain(`selector: 'a.next'`)
    expect(code).toContain(`excludeTags: ['.old']`)
    expect(view.consoleErrors).toEqual([])
  })

  test('a page without text says so, with its status and the warning', async () => {
    await using view = await dashboard().open('playground')
    const { page } = view
    await page.getByLabel('URL', { exact: true }).fill(dashboard().site.url('/hollow'))
    await page.getByLabel('Product').check()
    await page.getByRole('button', { name: 'Scrape', exact: true }).click()

    await page.getByRole('note').getByText('Status 200. The page has no text.').waitFor()
    await page.getByText('No product found on this page').waitFor()
    await page.getByRole('tab', { name: 'Links' }).click()
    await page.getByRole('note').getByText('The page has no links.').waitFor()
    await page.getByRole('tab', { name: 'Product' }).click()
    await page.getByRole('note').getByText('The page names no product').waitFor()
    expect(await page.getByRole('button', { name: 'Copy this format' }).count()).toBe(0)
    expect(view.consoleErrors).toEqual([])
  })

  test('the playground maps a site, and shows errors with their hint', async () => {
    await using view = await dashboard().open('playground/map')
    await view.page.getByLabel('Max pages').press('Control+a')
    await view.page.getByLabel('Max pages').press('Backspace')
    await view.page.getByLabel('Max pages').pressSequentially('25')
    expect(await view.page.getByRole('figure').textContent()).toContain('limit: 25')
    await view.page.getByLabel('Site', { exact: true }).fill(dashboard().site.url('/'))
    await view.page.keyboard.press('Enter')
    await view.page.getByRole('listitem').first().waitFor()
    await view.page.getByLabel('Site', { exact: true }).fill('http://10.0.0.1/')
    await view.page.keyboard.press('Enter')

    await view.page.getByRole('alert').getByText('--allow').waitFor()
    expect(await view.page.getByRole('alert').textContent()).toContain('EGRESS_REFUSED')
  })

  test('a key is created, shown once, signs in as a member, and is revoked', async () => {
    await using view = await dashboard().open('keys')
    await view.page.getByRole('table', { name: 'Keys' }).waitFor()
    await view.page.keyboard.press('n')
    await view.page.getByLabel('Name', { exact: true }).fill('night job')
    await view.page.keyboard.press('Enter')
    const key = (await view.page.locator('.secret code').textContent()) ?? ''
    // As over plain HTTP from another machine, where the Clipboard API is not available.
    await view.page.evaluate('Object.defineProperty(window, "isSecureContext", { value: false })')
    await view.page.getByRole('button', { name: 'Copy the key' }).click()
    await view.page.getByRole('button', { name: 'Copied' }).waitFor()
    await view.page.mouse.click(5, 5)
    await view.page.getByRole('button', { name: 'Done' }).click()
    await view.goTo('usage', 'Usage')
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type('night')
    await view.page.getByRole('option', { name: 'night job Key' }).click()
    await view.page.locator('h1', { hasText: 'Keys' }).waitFor()
    await using member = await dashboard().open('keys', { key })
    await member.page.getByText('requires an admin key').waitFor()

    expect(await member.page.getByRole('button', { name: 'New key' }).count()).toBe(0)
    await view.page.getByRole('button', { name: 'Revoke night job' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await view.page.getByText('revoked', { exact: true }).waitFor()
    await member.page.evaluate(`location.hash = '#/health'`)
    await member.page.getByText('This API key is no longer valid').waitFor()
  })

  test('a team is created and its balance raised; a member sees only its own team', async () => {
    await using view = await dashboard().open('teams')
    const { page } = view
    await page.getByRole('table', { name: 'Teams' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name', { exact: true }).fill('press')
    await page.getByLabel('Credits').fill('500')
    await page.getByRole('button', { name: 'Create team' }).click()
    await page.getByRole('button', { name: 'Edit press' }).click()
    await page.getByLabel('Add to balance').fill('100')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'press' }).getByText('600').waitFor()
    await view.goTo('usage', 'Usage')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('pre')
    await page.getByRole('option', { name: 'press Team' }).click()
    await page.getByRole('row', { name: 'press' }).waitFor()
    const { body } = await dashboard().lab.api('POST', '/v2/team/keys', { team: 'press' })
    await using member = await dashboard().open('teams', { key: String(body['key']) })
    await member.page.getByRole('row', { name: 'press' }).waitFor()

    expect(await member.page.getByRole('row').count()).toBe(2)
    expect(await member.page.getByRole('button', { name: /Edit|New/ }).count()).toBe(0)
    expect([...view.consoleErrors, ...member.consoleErrors]).toEqual([])
  })

  test('secrets are listed without their values and deleted, which admins find in the audit log', async () => {
    const { lab } = dashboard()
    await lab.api('PUT', '/v2/secrets/SHOP_PASSWORD', { value: 'hunter22', origins: ['https://shop.example.com'] })
    await using view = await dashboard().open('secrets')
    const { page } = view
    await page
      .getByRole('row', { name: 'SHOP_PASSWORD' })
      .getByRole('cell', { name: 'https://shop.example.com', exact: true })
      .waitFor()
    expect(await page.content()).not.toContain('hunter22')
    await page.getByRole('button', { name: 'Delete SHOP_PASSWORD' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No secrets yet').waitFor()
    await view.goTo('audit-log', 'Audit log')
    await page.getByLabel('Filter by action').selectOption('secret.deleted')

    const row = page.getByRole('row', { name: /secret\.deleted .*SHOP_PASSWORD/ })
    await row.getByRole('cell', { name: 'bootstrap' }).waitFor()
    const { body } = await lab.api('POST', '/v2/team/keys', { name: 'reader' })
    await using member = await dashboard().open('audit-log', { key: String(body['key']) })
    await member.page.getByText('Reading the audit log requires an admin key.').waitFor()
    expect([...view.consoleErrors, ...member.consoleErrors]).toEqual([])
  })

  test('the palette finds secrets by name, and failed scrapes, maps and searches by their ids in the activity', async () => {
    const { lab, site } = dashboard()
    await lab.api('PUT', '/v2/secrets/HARBOUR_CODE', { value: 'hunter22', origins: ['https://shop.example.com'] })
    await lab.api('POST', '/v2/map', { url: site.url('/'), limit: 1 })
    await lab.api('POST', '/v2/search', { query: 'anchorages' })
    await lab.api('POST', '/v2/scrape', { url: 'http://10.0.0.1/refused' })
    const { body } = await lab.api('GET', '/v2/team/activity?limit=3')
    const calls = body['data'] as { readonly id: string; readonly target: string }[]
    await using view = await dashboard().open('health')
    const { page } = view
    await page.locator('h1', { hasText: 'Health' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('harbour_c')
    await page.getByRole('option', { name: 'HARBOUR_CODE Secret' }).click()
    await page.locator('h1', { hasText: 'Secrets' }).waitFor()

    for (const [index, kind] of ['Scrape', 'Search', 'Map'].entries()) {
      const { id, target } = calls[index]!
      await page.keyboard.press('Control+k')
      await page.keyboard.type(index === 0 ? id.toUpperCase() : id)
      await page.getByRole('option', { name: `${target} ${kind}` }).click()
      const rows = page.getByRole('table', { name: 'Activity' }).locator('tbody tr')
      await expect.poll(async () => rows.allTextContents()).toEqual([expect.stringContaining(target)])
    }
    await lab.api('DELETE', '/v2/secrets/HARBOUR_CODE')
    expect(view.consoleErrors).toEqual([])
  })

  test('health shows the isolation layers, the metrics of the server, and its load over time to admins', async () => {
    await using view = await dashboard().open('health')
    await view.page.getByText('ready for sessions').waitFor()

    await view.page.getByText('debugging pipe').waitFor()
    expect(await view.page.locator('.stat', { hasText: 'Memory' }).textContent()).toMatch(/\d MB/)
    await view.page
      .getByRole('img', { name: /^Live sessions: now \d+, at most \d+$/ })
      .locator('canvas')
      .waitFor()
    expect(await view.page.getByRole('img', { name: /: now/ }).count()).toBe(6)
    expect(await view.page.evaluate(cutCharts)).toEqual([])
    const history = view.page.waitForRequest((request) => request.url().includes('/v2/health/history'))
    await view.page.getByRole('tab', { name: '6 h' }).click()
    expect(new URL((await history).url()).search).toBe('?hours=6')
    const { body } = await dashboard().lab.api('POST', '/v2/team/keys', { team: 'press' })
    await using member = await dashboard().open('health', { key: String(body['key']) })
    await member.page.getByText('debugging pipe').waitFor()
    expect(await member.page.getByRole('heading', { name: 'Over time' }).count()).toBe(0)
    expect(view.consoleErrors).toEqual([])

    await member.page.route('**/readyz', async (route) => route.abort())
    await member.page.getByRole('alert').getByText('Check that it is running').waitFor()
    await member.page.locator('header').getByText('unknown').waitFor()
    expect(await member.page.getByText('ready for sessions').count()).toBe(0)
  })
}
