import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** The playground, profiles, keys and health. */
export function testPages(desk: () => DashboardFixture): void {
  test('the playground scrapes a page, finds it again, and shows the same as code', async () => {
    await using view = await desk().open('playground')
    const { page } = view
    const url = desk().site.url('/prices')
    await page.getByLabel('Address').fill(url)
    await page.getByLabel('Screenshot').check()
    await page.keyboard.press('Enter')
    await page.getByText('# Prices').waitFor()
    await page.getByRole('tab', { name: 'Screenshot' }).click()
    await page.getByRole('img', { name: 'Screenshot of the page' }).waitFor()

    await expect.poll(async () => page.evaluate(`document.querySelector('.screenshot').naturalWidth`)).toBe(1280)
    expect(await page.getByRole('figure').textContent()).toContain(`bowline.scrape('${url}'`)
    await view.goTo('playground/search', 'Playground')
    await page.getByRole('searchbox').fill('guilders')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Prices' }).click()
    expect(await page.getByLabel('Address').inputValue()).toBe(url)
    expect(view.complaints).toEqual([])
  })

  test('what a page says is text and never a link, and an address with an apostrophe is one text in the code', async () => {
    await using view = await desk().open('playground')
    const url = `${desk().site.url('/said')}?it's`
    await view.page.getByLabel('Address').fill(url)
    await view.page.keyboard.press('Enter')

    await view.page.locator('pre.output').getByText('picture:javascript:alert(1)').waitFor()
    expect(await view.page.getByRole('figure').textContent()).toContain(`bowline.scrape("${url}"`)
    expect(view.complaints).toEqual([])
  })

  test('the playground maps a site, and says why a call failed and what to do', async () => {
    await using view = await desk().open('playground/map')
    await view.page.getByLabel('Most pages').press('Control+a')
    await view.page.getByLabel('Most pages').press('Backspace')
    await view.page.getByLabel('Most pages').pressSequentially('25')
    expect(await view.page.getByRole('figure').textContent()).toContain('limit: 25')
    await view.page.getByLabel('Site', { exact: true }).fill(desk().site.url('/'))
    await view.page.keyboard.press('Enter')
    await view.page.getByRole('listitem').first().waitFor()
    await view.page.getByLabel('Site', { exact: true }).fill('http://10.0.0.1/')
    await view.page.keyboard.press('Enter')

    await view.page.getByRole('alert').getByText('--allow').waitFor()
    expect(await view.page.getByRole('alert').textContent()).toContain('EGRESS_REFUSED')
  })

  test('a profile is rolled back to an earlier version, and deleted', async () => {
    const state = (value: string) => ({
      origins: [{ origin: 'https://example.com', localStorage: [{ name: 'a', value }] }],
    })
    for (const value of ['1', '2']) {
      await desk().lab.api('PUT', '/v2/browser/profiles/trial/storage-state', state(value))
    }
    await using view = await desk().open('profiles/trial')
    await view.page.getByRole('button', { name: 'Use' }).click()

    await view.page.getByRole('row', { name: '1 current' }).waitFor()
    await view.page.getByRole('button', { name: 'Delete' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await view.page.locator('h1', { hasText: 'Profiles' }).waitFor()
    expect((await desk().lab.api('GET', '/v2/browser/profiles/trial')).status).toBe(404)
  })

  test('a key is made, shown once, signs in as a member, and is revoked', async () => {
    await using view = await desk().open('keys')
    await view.page.getByRole('table', { name: 'Keys' }).waitFor()
    await view.page.keyboard.press('n')
    await view.page.getByLabel('Name', { exact: true }).fill('night job')
    await view.page.keyboard.press('Enter')
    const key = (await view.page.locator('.secret code').textContent()) ?? ''
    // As on another machine without encryption, where there is no other clipboard.
    await view.page.evaluate('Object.defineProperty(window, "isSecureContext", { value: false })')
    await view.page.getByRole('button', { name: 'Copy the key' }).click()
    await view.page.getByRole('button', { name: 'Copied' }).waitFor()
    await view.page.mouse.click(5, 5)
    await view.page.getByRole('button', { name: 'Done' }).click()
    await using member = await desk().open('keys', { key })
    await member.page.getByText('An admin key makes and revokes them').waitFor()

    expect(await member.page.getByRole('button', { name: 'New key' }).count()).toBe(0)
    await view.page.getByRole('button', { name: 'Revoke night job' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await view.page.getByText('revoked', { exact: true }).waitFor()
    await member.page.evaluate(`location.hash = '#/health'`)
    await member.page.getByText('does not know this key any more').waitFor()
  })

  test('a team is made and its balance raised; a member sees its own alone', async () => {
    await using view = await desk().open('teams')
    const { page } = view
    await page.getByRole('table', { name: 'Teams' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name', { exact: true }).fill('press')
    await page.getByLabel('Credits').fill('500')
    await page.getByRole('button', { name: 'Make team' }).click()
    await page.getByRole('button', { name: 'Change press' }).click()
    await page.getByLabel('Add to the balance').fill('100')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'press' }).getByText('600').waitFor()
    const { body } = await desk().lab.api('POST', '/v2/team/keys', { team: 'press' })
    await using member = await desk().open('teams', { key: String(body['key']) })
    await member.page.getByRole('row', { name: 'press' }).waitFor()

    expect(await member.page.getByRole('row').count()).toBe(2)
    expect(await member.page.getByRole('button', { name: /Change|New/ }).count()).toBe(0)
    expect([...view.complaints, ...member.complaints]).toEqual([])
  })

  test('health tells the layers of isolation and the numbers of the server', async () => {
    await using view = await desk().open('health')
    await view.page.getByText('ready for sessions').waitFor()

    await view.page.getByText('debugging pipe').waitFor()
    expect(await view.page.locator('.numeral', { hasText: 'Memory' }).textContent()).toMatch(/\d MB/)
    expect(view.complaints).toEqual([])
  })
}
