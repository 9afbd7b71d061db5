import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { DashboardFixture } from './dashboard-fixture.ts'

function jsonFile(name: string, value: unknown) {
  return { name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) }
}

const state = {
  cookies: [],
  origins: [{ origin: 'https://example.com', localStorage: [{ name: 'login', value: '4711' }] }],
}

/** Imports and exports of profiles. */
export function testProfiles(dashboard: () => DashboardFixture): void {
  test('a storageState file is imported as a profile, exported again, and other files are refused', async () => {
    await using view = await dashboard().open('profiles')
    const { page } = view
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Import profile' }).click()
    await dialog.getByLabel('Profile').fill('imported login')
    await dialog
      .getByLabel('File', { exact: true })
      .setInputFiles({ ...jsonFile('notes.txt', ''), buffer: Buffer.from('Buy milk') })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByRole('alert').getByText('notes.txt is not a storageState: the file is not JSON').waitFor()
    await dialog.getByLabel('File', { exact: true }).setInputFiles(jsonFile('package.json', { name: 'shop' }))
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByRole('alert').getByText('it has neither “cookies” nor “origins”').waitFor()
    await dialog.getByLabel('File', { exact: true }).setInputFiles(jsonFile('state.json', { cookies: [{ name: 'a' }] }))
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByRole('alert').getByText('cookies').waitFor()
    await dialog.getByLabel('File', { exact: true }).setInputFiles(jsonFile('state.json', state))
    await dialog.getByLabel('Profile').fill('imported-login')
    await dialog.getByRole('button', { name: 'Import' }).click()

    await page.locator('h1', { hasText: 'imported-login' }).waitFor()
    await page.getByText('Imported as version 1 of imported-login').waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export storageState' }).click(),
    ])
    expect(JSON.parse(await readFile(await saved.path(), 'utf8'))).toMatchObject(state)
    await page.getByRole('button', { name: 'Import storageState' }).click()
    await dialog.getByLabel('File', { exact: true }).setInputFiles(jsonFile('state.json', state))
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('row', { name: '2 current' }).waitFor()
    const first = page.getByRole('row').filter({ hasText: 'import' }).last()
    await first.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('row', { name: '1 current' }).waitFor()
    await dashboard().lab.api('DELETE', '/v2/browser/profiles/imported-login')
    expect(view.consoleErrors).toEqual([])
  })

  test('the page of a profile that a session writes says so, and does not offer to change it', async () => {
    const { lab } = dashboard()
    const path = '/v2/browser/profiles/in-use'
    await lab.api('PUT', `${path}/storage-state`, state)
    await lab.api('PUT', `${path}/storage-state`, state)
    await using view = await dashboard().open('profiles/in-use')
    const { page } = view
    const changes = ['Delete', 'Import storageState', 'Restore'].map((name) => page.getByRole('button', { name }))
    await page.getByRole('row', { name: '2 current' }).waitFor()
    expect(await Promise.all(changes.map(async (button) => button.isEnabled()))).toEqual([true, true, true])

    const { id } = await lab.createSession({ profile: { name: 'in-use' } })
    await page.reload()
    await page.getByText('Until it has ended, the profile cannot be deleted').waitFor()

    expect(await page.getByRole('link', { name: 'in use by a session' }).getAttribute('href')).toContain(id)
    expect(await Promise.all(changes.map(async (button) => button.isEnabled()))).toEqual([false, false, false])
    await lab.api('DELETE', `/v2/browser/${id}`)
    await lab.api('DELETE', path)
  })
}
