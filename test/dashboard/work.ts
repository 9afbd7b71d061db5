import { expect, test } from 'vitest'
import type { Desk } from './desk.ts'

/** Jobs, monitors, usage and activity. */
export const testWork = (desk: () => Desk): void => {
  test('a monitor is made, checked twice, and shows what changed side by side', async () => {
    await using view = await desk().open('monitors')
    const { page } = view
    await page.getByText('No monitor yet').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name').fill('Berths')
    await page.getByLabel('Addresses').fill(desk().site.url('/prices'))
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
}
