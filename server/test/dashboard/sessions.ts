import { expect, test } from 'vitest'
import { playwright } from '../../../src/playwright.ts'
import type { DashboardFixture, View } from './dashboard-fixture.ts'

/** What the dashboard does with sessions. */
export function testSessions(desk: () => DashboardFixture): void {
  test('a wrong key is refused in words, the right one opens the sessions, and signing out forgets it', async () => {
    await using view = await desk().open('', { key: '' })
    await view.page.getByLabel('API key').fill('bl-wrong')
    await view.page.keyboard.press('Enter')

    await view.page.getByRole('alert').filter({ hasText: 'The server does not know this key' }).waitFor()
    await view.page.getByLabel('API key').fill(desk().lab.server.apiKey)
    await view.page.keyboard.press('Enter')
    await view.page.getByRole('heading', { name: 'No browser is live' }).waitFor()

    expect(await view.page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      1,
      '',
    ])
    expect(view.page.url()).not.toContain(desk().lab.server.apiKey)
    await view.page.getByRole('button', { name: 'Sign out' }).click()
    await view.page.getByLabel('API key').waitFor()
    expect(await view.page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('a browser that keeps nothing for pages shows the dashboard all the same', async () => {
    await using view = await desk().open('health', { key: '' })
    await view.page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError') } })`)
    await view.page.reload()
    await view.page.getByLabel('API key').fill(desk().lab.server.apiKey)
    await view.page.keyboard.press('Enter')
    await view.page.getByText('ready for sessions').waitFor()
    await view.page.getByRole('button', { name: 'Colours: system' }).click()

    expect(view.complaints).toEqual([])
  })

  test('the wall shows a live session moving, and ends it at a click', async () => {
    const session = await desk().lab.createSession()
    await using handles = await playwright.connect(session)
    await handles.page.setContent(`<title>Clock</title><p id="time"></p>
    <script>setInterval(() => { document.querySelector('#time').textContent = Date.now() }, 50)</script>`)
    await using view = await desk().open()
    const card = view.page.locator(`[data-session="${session.id}"]`)
    await card.getByText('Clock').waitFor()
    const seen = await countFrames(view)

    await expect.poll(async () => countFrames(view)).toBeGreaterThan(seen + 2)
    await card.getByRole('button', { name: 'End' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()

    await view.page.getByRole('table', { name: 'Ended sessions' }).getByText('deleted').waitFor()
    expect((await desk().lab.api('GET', `/v2/browser/${session.id}`)).body['status']).toBe('destroyed')
    expect(view.complaints).toEqual([])
  })

  test('a session whose form is closed before it has started is ended, and leads nowhere', async () => {
    await using view = await desk().open('profiles')
    const [made, closed] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    await view.page.route('**/v2/browser', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      made.resolve(((await response.json()) as { readonly id: string }).id)
      await closed.promise
      return route.fulfill({ response })
    })
    await view.goTo('sessions', 'Sessions')
    await view.page.keyboard.press('n')
    await view.page.getByRole('button', { name: 'Start' }).click()
    const id = await made.promise
    await view.page.getByRole('button', { name: 'Cancel' }).click()
    closed.resolve()

    const statusOf = async (): Promise<unknown> => (await desk().lab.api('GET', `/v2/browser/${id}`)).body['status']
    await expect.poll(statusOf, { timeout: 10_000 }).toBe('destroyed')
    expect(view.page.url()).toMatch(/#\/sessions$/)
  })

  test('a session that is made in the dashboard can be taken over there', async () => {
    await using view = await desk().open()
    await view.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await view.page.keyboard.press('n')
    await view.page.getByLabel('Profile').fill('kept')
    await view.page.getByRole('button', { name: 'Start' }).click()
    const live = view.page.frameLocator('iframe')

    await live.locator('body[data-phase=live]').waitFor()
    await live.getByLabel('Address').fill(desk().site.url('/'))
    await live.getByLabel('Address').press('Enter')
    await expect.poll(async () => live.locator('[role=tab]').first().textContent()).not.toMatch(/New tab|Loading/)
    await view.page.getByRole('tab', { name: 'Watch' }).click()
    await live.getByText('View only').waitFor()
    await view.page.getByRole('button', { name: 'End' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await view.page.getByText('destroyed').waitFor()
    await view.goTo('profiles', 'Profiles')
    await view.page.getByRole('link', { name: 'kept' }).click()

    await view.page.getByText('current', { exact: true }).waitFor()
    expect(view.complaints).toEqual([])
  })

  test('an ended session shows what was recorded of it', async () => {
    const session = await desk().lab.createSession({ record: { console: true } })
    await using handles = await playwright.connect(session)
    await handles.page.evaluate(`console.log('made fast')`)
    await desk().lab.api('DELETE', `/v2/browser/${session.id}`)
    await using view = await desk().open(`sessions/${session.id}`)
    const recordings = view.page.locator('section', { hasText: 'Recordings' }).getByRole('link')
    await recordings.first().waitFor()

    const answers = await Promise.all(
      (await recordings.all()).map(async (link) => {
        const path = (await link.getAttribute('href')) ?? ''
        return (await fetch(new URL(path, desk().lab.server.url))).text()
      }),
    )
    expect(answers.join('')).toContain('made fast')
    expect(view.complaints).toEqual([])
  })

  test('looking at a session in the dashboard does not count as activity', async () => {
    const session = await desk().lab.createSession({ activityTtl: 60 })
    await using view = await desk().open(`sessions/${session.id}`)
    await view.page.frameLocator('iframe').locator('body[data-phase=live]').waitFor()
    const before = await lastActivity(desk(), session.id)
    await view.page.waitForResponse((response) => response.url().endsWith('/v2/browser?status=active'))

    expect(await lastActivity(desk(), session.id)).toBe(before)
    await desk().lab.api('DELETE', `/v2/browser/${session.id}`)
  })
}

async function countFrames({ page }: View): Promise<number> {
  return Number(await page.locator('.thumbnail').first().getAttribute('data-frames'))
}

async function lastActivity(desk: DashboardFixture, id: string): Promise<unknown> {
  const { body } = await desk.lab.api('GET', '/v2/browser?status=active')
  return (body['sessions'] as { id: string; lastActivity: string }[]).find((session) => session.id === id)?.lastActivity
}
