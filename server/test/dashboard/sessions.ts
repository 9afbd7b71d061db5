import { expect, test } from 'vitest'
import { playwright } from '../../../src/playwright.ts'
import { zipExtension } from '../../../test/lab/zip.ts'
import type { DashboardFixture, View } from './dashboard-fixture.ts'

/** Sign-in and sessions. */
export function testSessions(dashboard: () => DashboardFixture): void {
  test('an invalid key shows an error, a valid one opens the sessions, and signing out removes it', async () => {
    await using view = await dashboard().open('', { key: '' })
    await view.page.getByLabel('API key').fill('bl-wrong')
    await view.page.keyboard.press('Enter')

    await view.page.getByRole('alert').filter({ hasText: 'Invalid API key' }).waitFor()
    await view.page.getByLabel('API key').fill(dashboard().lab.server.apiKey)
    await view.page.keyboard.press('Enter')
    await view.page.getByRole('heading', { name: 'No live sessions' }).waitFor()

    expect(await view.page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      1,
      '',
    ])
    expect(view.page.url()).not.toContain(dashboard().lab.server.apiKey)
    await view.page.getByRole('button', { name: 'Sign out' }).click()
    await view.page.getByLabel('API key').waitFor()
    expect(await view.page.evaluate('sessionStorage.length')).toBe(0)
    await expect.poll(async () => view.page.evaluate('document.activeElement.name')).toBe('key')
  })

  test('the dashboard works without web storage', async () => {
    await using view = await dashboard().open('health', { key: '' })
    await view.page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError') } })`)
    await view.page.reload()
    await view.page.getByLabel('API key').fill(dashboard().lab.server.apiKey)
    await view.page.keyboard.press('Enter')
    await view.page.getByText('ready for sessions').waitFor()
    await view.page.getByRole('button', { name: 'Theme: system' }).click()

    expect(view.consoleErrors).toEqual([])
  })

  test('the sessions page shows a live thumbnail and can end its session, which then shows its recordings', async () => {
    const session = await dashboard().lab.createSession({ record: { console: true } })
    await using handles = await playwright.connect(session)
    await handles.page.setContent(`<title>Clock</title><p id="time"></p>
    <script>setInterval(() => { document.querySelector('#time').textContent = Date.now() }, 200)</script>`)
    await handles.page.evaluate(`console.log('made fast')`)
    await using view = await dashboard().open()
    const card = view.page.locator(`[data-session="${session.id}"]`)
    await card.getByText('Clock', { exact: true }).waitFor()
    const seen = await countFrames(view)

    await expect.poll(async () => countFrames(view)).toBeGreaterThan(seen + 2)
    await card.getByRole('button', { name: 'End' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()

    await view.page.getByRole('table', { name: 'Ended sessions' }).getByText('by request').waitFor()
    expect((await dashboard().lab.api('GET', `/v2/browser/${session.id}`)).body['status']).toBe('destroyed')
    await view.goTo(`sessions/${session.id}`, 'Session')
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type('Usa')
    await view.page.getByRole('option', { name: 'Usage Page' }).waitFor()
    await view.page.keyboard.press('Enter')
    await view.page.locator('h1', { hasText: 'Usage' }).waitFor()
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type(session.id)
    await view.page.getByRole('option', { name: `${session.id} Session` }).waitFor()
    await view.page.keyboard.press('Enter')
    await view.page.locator('h1', { hasText: 'Session' }).waitFor()
    const recordings = view.page.locator('section', { hasText: 'Recordings' }).getByRole('link')
    await recordings.first().waitFor()
    const answers = await Promise.all(
      (await recordings.all()).map(async (link) => {
        const path = (await link.getAttribute('href')) ?? ''
        return (await fetch(new URL(path, dashboard().lab.server.url))).text()
      }),
    )
    expect(answers.join('')).toContain('made fast')
    expect(view.consoleErrors).toEqual([])
  })

  test('the console of a session runs code and shows its outcome', async () => {
    const { id } = await dashboard().lab.createSession()
    await using view = await dashboard().open(`sessions/${id}`)
    const panel = view.page.locator('.console')
    await panel.getByLabel('Code', { exact: true }).fill('echo out; echo wrong >&2; exit 3')
    await panel.getByLabel('Language').selectOption('bash')
    await panel.getByRole('button', { name: 'Run', exact: true }).click()

    const outcome = view.page.getByRole('article', { name: 'Exit code 3' })
    await outcome.waitFor()

    expect(await outcome.locator('pre').textContent()).toMatch(/^out\n\nwrong\n/)
    await dashboard().lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('a session that needs a human is marked, and links to its live view', async () => {
    const { id } = await dashboard().lab.createSession()
    await using view = await dashboard().open()
    const badge = view.page.locator(`[data-session="${id}"]`).getByRole('link', { name: 'Needs a human' })
    await dashboard().lab.api('POST', `/v2/browser/${id}/handoff`, { instructions: 'Sign in' })

    await badge.click()
    const live = view.page.frameLocator('iframe[title="Interactive live view"]')
    await view.page.getByRole('definition').filter({ hasText: 'Sign in' }).waitFor()
    await live.getByRole('button', { name: 'Done' }).click()

    await view.page.getByRole('link', { name: 'Needs a human' }).waitFor({ state: 'detached' })
    expect((await dashboard().lab.api('GET', `/v2/browser/${id}`)).body['handoff']).toBeUndefined()
    await dashboard().lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('closing the form before the session has started ends the session', async () => {
    await using view = await dashboard().open('profiles')
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

    const statusOf = async (): Promise<unknown> =>
      (await dashboard().lab.api('GET', `/v2/browser/${id}`)).body['status']
    await expect.poll(statusOf, { timeout: 10_000 }).toBe('destroyed')
    expect(view.page.url()).toMatch(/#\/sessions$/)
  })

  test('an uploaded extension can be chosen for a session, which names the browser it needs, and deleted', async () => {
    await using view = await dashboard().open('extensions')
    await view.page.getByRole('heading', { name: 'No extensions yet' }).waitFor()
    const input = view.page.getByLabel('Zip of an extension')
    const upload = async (buffer: Buffer): Promise<void> =>
      input.setInputFiles({ name: 'extension.zip', mimeType: 'application/zip', buffer })
    await upload(zipExtension({ permissions: ['proxy'] }))
    await view.page.getByText('it replaces the egress proxy').waitFor()

    await upload(zipExtension({ name: 'Translator', version: '2.1' }))
    await view.page.getByRole('row', { name: /Translator 2\.1/ }).waitFor()
    await view.goTo('sessions', 'Sessions')
    await view.page.keyboard.press('n')
    await view.page.locator('dialog summary', { hasText: 'Extensions' }).click()
    await view.page.getByLabel('Translator 2.1').check()
    await view.page.getByRole('button', { name: 'Start' }).click()
    await view.page.getByText('`extensions` require full Chromium').waitFor()
    await view.page.getByRole('button', { name: 'Cancel' }).click()
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type('transl')
    await view.page.getByRole('option', { name: 'Translator Extension' }).click()
    await view.page.locator('h1', { hasText: 'Extensions' }).waitFor()
    await view.page.getByRole('button', { name: 'Delete Translator' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Delete Translator' }).click()
    await view.page.getByRole('heading', { name: 'No extensions yet' }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('a session created in the dashboard can be taken over, and its profile rolled back and deleted', async () => {
    await using view = await dashboard().open()
    await view.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    await view.page.keyboard.press('n')
    await view.page.getByLabel('Profile').fill('kept')
    await view.page.getByRole('button', { name: 'Start' }).click()
    const live = view.page.frameLocator('iframe')

    await live.locator('body[data-phase=live]').waitFor()
    await live.getByLabel('Address').fill(dashboard().site.url('/'))
    await live.getByLabel('Address').press('Enter')
    await expect.poll(async () => live.locator('[role=tab]').first().textContent()).not.toMatch(/New tab|Loading/)
    await view.page.getByRole('tab', { name: 'Watch' }).click()
    await live.getByText('View only').waitFor()
    await view.page.getByRole('button', { name: 'End' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await view.page.getByText('ended', { exact: true }).waitFor()
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type('kept')
    await view.page.getByRole('option', { name: 'kept Profile' }).click()

    await view.page.getByText('current', { exact: true }).waitFor()
    const storage = { origin: 'https://example.com', localStorage: [{ name: 'a', value: '1' }] }
    await dashboard().lab.api('PUT', '/v2/browser/profiles/kept/storage-state', { origins: [storage] })
    await view.page.reload()
    await view.page.getByRole('button', { name: 'Restore' }).click()
    await view.page.getByRole('row', { name: '1 current' }).waitFor()
    await view.page.getByRole('button', { name: 'Delete' }).click()
    await view.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await view.page.locator('h1', { hasText: 'Profiles' }).waitFor()
    expect((await dashboard().lab.api('GET', '/v2/browser/profiles/kept')).status).toBe(404)
    expect(view.consoleErrors).toEqual([])
  })

  test('the name and metadata of a new session are on its page, in the lists, in the filter and the activity', async () => {
    await using view = await dashboard().open()
    await view.page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    await view.page.keyboard.press('n')
    await view.page.getByLabel('Name').fill('Nightly export')
    await view.page.getByLabel('Metadata').fill('customer=4711\nquery = a=b')
    await view.page.getByText('Device, language and headers').click()
    await view.page.getByLabel('Viewport').fill('500x400@2')
    await view.page.getByLabel('Position').fill('52.5, -13.4')
    await view.page.getByLabel('Time zone').fill('Asia/Tokyo')
    await view.page.getByLabel('Extra headers').fill('https://a.test x-a: b: c\n')
    const creation = view.page.waitForRequest((request) => request.method() === 'POST')
    await view.page.getByRole('button', { name: 'Start' }).click()

    expect((await creation).postDataJSON()).toMatchObject({
      viewport: { width: 500, height: 400, deviceScaleFactor: 2 },
      geolocation: { latitude: 52.5, longitude: -13.4 },
      timezone: 'Asia/Tokyo',
      extraHeaders: { 'https://a.test': { 'x-a': 'b: c' } },
    })

    await view.page.frameLocator('iframe').locator('body[data-phase=live]').waitFor()
    await view.page.getByRole('heading', { name: 'Nightly export' }).waitFor()
    await view.page.getByText('customer=4711').waitFor()
    await dashboard().lab.api('POST', '/v2/team/keys', { name: 'filter' })
    const { body } = await dashboard().lab.api('GET', '/v2/browser?name=Nightly%20export&status=active')
    const [session] = body['sessions'] as { id: string; metadata: object }[]
    expect(session?.metadata).toEqual({ customer: '4711', query: 'a=b' })
    const find = async () => (await dashboard().lab.api('GET', `/v2/browser/${session?.id}`)).body
    const endsAtMs = Date.parse((await find())['expiresAt'])
    await view.page.getByRole('button', { name: 'Add 10 min' }).click()
    await expect.poll(async () => Date.parse((await find())['expiresAt']) - endsAtMs).toBeGreaterThan(595_000)
    await view.goTo('sessions', 'Sessions')
    await view.page.locator(`[data-session="${session?.id}"]`).getByText('Nightly export', { exact: true }).waitFor()
    await expect.poll(async () => countFrames(view)).toBeGreaterThan(0)
    await dashboard().lab.api('DELETE', `/v2/browser/${session?.id}`)
    await view.page.getByLabel('Filter sessions').fill('query=a=b')
    const ended = view.page.getByRole('table', { name: 'Ended sessions' }).locator('tbody td:first-child')
    await expect.poll(async () => ended.allTextContents()).toEqual(['Nightly export'])
    await view.page.getByLabel('Filter by reason').selectOption('by request')
    await view.page.getByLabel('Filter by API key').selectOption('bootstrap')
    await view.page.waitForURL(/#\/sessions\?reason=deleted&key=[\da-f-]+&search=query/)
    await view.page.reload()
    await expect.poll(async () => ended.allTextContents()).toEqual(['Nightly export'])
    await view.page.getByLabel('Filter by API key').selectOption('filter')
    await view.page.getByText('No ended session matches.').waitFor()
    await view.goTo('activity', 'Activity')
    await view.page.getByRole('link', { name: 'Nightly export' }).waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('viewing a session in the dashboard reads no other session and does not count as activity', async () => {
    const session = await dashboard().lab.createSession({ activityTtl: 60 })
    await using view = await dashboard().open(`sessions/${session.id}`)
    await view.page.frameLocator('iframe').locator('body[data-phase=live]').waitFor()
    const before = await lastActivity(dashboard(), session.id)
    const read = await view.page.waitForResponse((response) => response.url().includes('/v2/browser'))

    expect(new URL(read.url()).pathname).toBe(`/v2/browser/${session.id}`)
    expect(await lastActivity(dashboard(), session.id)).toBe(before)
    await dashboard().lab.api('DELETE', `/v2/browser/${session.id}`)
  })
}

async function countFrames({ page }: View): Promise<number> {
  return Number(await page.locator('.thumbnail').first().getAttribute('data-frames'))
}

async function lastActivity(dashboard: DashboardFixture, id: string): Promise<unknown> {
  const { body } = await dashboard.lab.api('GET', '/v2/browser?status=active')
  return (body['sessions'] as { id: string; lastActivity: string }[]).find((session) => session.id === id)?.lastActivity
}
