import { expect, test } from 'vitest'
import { playwright } from '../../../src/playwright.ts'
import { findViolations } from '../../../test/lab/axe.ts'
import type { DashboardFixture } from './dashboard-fixture.ts'

/** Pages of single sessions, live and ended. */
export function testSessionPages(dashboard: () => DashboardFixture): void {
  test('a live session shows its console and requests beside the picture, filtered by text and errors', async () => {
    const { lab, site } = dashboard()
    const session = await lab.createSession()
    await using handles = await playwright.connect(session)
    await handles.page.goto(site.url('/'))
    await handles.page.evaluate(`console.log('made fast')`)
    await using view = await dashboard().open(`sessions/${session.id}`, { viewport: { width: 1280, height: 800 } })
    const panel = view.page.getByRole('region', { name: 'Console and network' })
    await panel.getByText('made fast').waitFor()
    await handles.page.evaluate(`console.error('cast off'); fetch('/canvas'); fetch('/missing')`)

    await panel.getByText('cast off').waitFor()
    await panel.getByLabel('Filter the console').fill('FAST')
    await panel.getByText('cast off').waitFor({ state: 'detached' })
    await panel.getByText(/^1 of \d messages/).waitFor()
    await panel.getByRole('tab', { name: 'Network' }).click()
    await panel.getByLabel('Filter the network').fill('')
    await panel.getByText(site.url('/canvas')).waitFor()
    await panel.getByLabel('Errors').check()
    await panel.getByText(site.url('/canvas')).waitFor({ state: 'detached' })
    expect(await panel.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(new RegExp(`404 GET ${site.url('/missing')}`)),
    ])
    await view.page.setViewportSize({ width: 390, height: 844 })
    const [picture, list] = await Promise.all([view.page.locator('iframe').boundingBox(), panel.boundingBox()])
    expect(list?.y).toBeGreaterThan((picture?.y ?? 0) + (picture?.height ?? 0))
    expect(await view.page.frameLocator('iframe').getByText('View only').isVisible()).toBe(true)
    await lab.api('DELETE', `/v2/browser/${session.id}`)
    expect(view.consoleErrors).toEqual([])
  })

  test('messages from before the page was opened are listed in the order of their times', async () => {
    const { lab, site } = dashboard()
    const session = await lab.createSession()
    await using handles = await playwright.connect(session)
    await handles.page.goto(site.url('/'))
    const other = await handles.context.newPage()
    await other.goto(site.url('/'))
    for (const name of ['first', 'second', 'third']) {
      await handles.page.evaluate(`fetch('/missing-${name}').then(() => undefined)`)
      await other.evaluate(`console.log('${name} of the other page')`)
      await handles.page.evaluate(`console.log('${name} of the page')`)
    }
    await using view = await dashboard().open(`sessions/${session.id}`)
    const panel = view.page.getByRole('region', { name: 'Console and network' })
    for (const text of ['third of the page', 'third of the other page']) await panel.getByText(text).waitFor()

    const texts = await panel.getByRole('listitem').locator('.text').allTextContents()
    expect(texts.filter((text) => text.includes(' of the '))).toEqual(
      ['first', 'second', 'third'].flatMap((name) => [`${name} of the other page`, `${name} of the page`]),
    )
    await lab.api('DELETE', `/v2/browser/${session.id}`)
    expect(view.consoleErrors).toEqual([])
  })

  test('ended sessions are filtered by profile, and by a tag on their row or page', async () => {
    const { lab } = dashboard()
    const create = async (name: string, customer: string, profile?: string) => {
      const options = { name, metadata: { customer } }
      const { id } = await lab.createSession(
        profile === undefined ? options : { ...options, profile: { name: profile, saveChanges: true } },
      )
      await lab.api('DELETE', `/v2/browser/${id}`)
    }
    await create('Export of Ann', 'ann', 'crew_ann')
    await create('Import of Ann', 'ann')
    await create('Export of Bea', 'bea')
    await using view = await dashboard().open()
    const { page } = view
    const names = page.getByRole('table', { name: 'Ended sessions' }).locator('tbody td:first-child')
    await page.getByLabel('Filter by profile').selectOption('crew_ann')
    await expect.poll(async () => names.allTextContents()).toEqual(['Export of Ann'])
    await page.waitForURL(/#\/sessions\?profile=crew_ann$/)

    await page.getByRole('link', { name: 'customer=ann' }).click()
    await expect.poll(async () => names.allTextContents()).toEqual(['Import of Ann', 'Export of Ann'])
    expect(await page.getByLabel('Filter sessions').inputValue()).toBe('customer=ann')
    await page.getByRole('link', { name: 'Import of Ann' }).click()
    await page.getByRole('definition').getByRole('link', { name: 'customer=ann' }).click()
    await expect.poll(async () => names.allTextContents()).toEqual(['Import of Ann', 'Export of Ann'])
    await lab.api('DELETE', '/v2/browser/profiles/crew_ann')
    expect(view.consoleErrors).toEqual([])
  })

  test('an ended session shows its last picture, its recordings in the player, and its bill', async () => {
    const { lab } = dashboard()
    const session = await lab.createSession({ record: true, ttl: 90 })
    {
      await using handles = await playwright.connect(session)
      await handles.page.setContent('<body style="background: #c00">')
      await handles.page.evaluate(`console.log('made fast')`)
      await handles.page.screenshot()
    }
    await lab.api('DELETE', `/v2/browser/${session.id}`)
    // The player is below the window.
    await using view = await dashboard().open(`sessions/${session.id}`, { viewport: { width: 390, height: 500 } })
    const { page } = view
    const picture = page.getByRole('img', { name: 'The page before the session ended' })
    await picture.waitFor()
    const player = page.frameLocator('iframe[title="Player of the recordings"]')

    await player.getByRole('button', { name: 'made fast' }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    await expect.poll(async () => page.evaluate(`document.querySelector('.screenshot').naturalWidth`)).toBe(1280)
    expect(await page.locator('.fact', { hasText: 'Ends after' }).textContent()).toContain('1 min 30 s')
    expect(await page.locator('.fact', { hasText: 'Recording' }).textContent()).toContain('video, console, requests')
    expect(await page.locator('.fact', { hasText: 'Billed' }).textContent()).toContain('2 credits')
    expect(view.consoleErrors).toEqual([])
  })

  test('all ended sessions can be reached, page by page, and an ended session is read once', async () => {
    const { lab } = dashboard()
    const { id } = await lab.createSession({ name: 'Last of all' })
    await lab.api('DELETE', `/v2/browser/${id}`)
    await using view = await dashboard().open('nowhere')
    const { page } = view
    await page.route('**/v2/browser?status=ended*', async (route) => {
      const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      const numbers = Array.from({ length: Math.min(20, 45 - start) }, (_, at) => start + at + 1)
      const sessions = numbers.map((number) => ({
        id: number === 45 ? id : `01a200b8-7181-7000-8000-0000000000${number + 10}`,
        name: `Session ${number}`,
        status: 'destroyed',
        endReason: 'ttl',
      }))
      const cursor = start + 20 < 45 ? { cursor: String(start + 20) } : {}
      await route.fulfill({ json: { success: true, sessions, ...cursor } })
    })
    await view.goTo('sessions', 'Sessions')
    const links = page.getByRole('table', { name: 'Ended sessions' }).getByRole('link')
    for (const count of [20, 40]) {
      await expect.poll(async () => links.count()).toBe(count)
      await page.getByRole('button', { name: 'Load more' }).click()
    }
    await expect.poll(async () => links.count()).toBe(45)
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0)
    const read: string[] = []
    page.on('request', (request) => read.push(new URL(request.url()).pathname))
    await links.last().click()
    await page.getByRole('heading', { name: 'This session was not recorded' }).waitFor()

    expect(read.filter((path) => path === `/v2/browser/${id}`)).toHaveLength(1)
    expect(view.consoleErrors).toEqual([])
  })

  test('an ended session says why it has no recordings, and what was not stored', async () => {
    const session = { success: true, status: 'destroyed', createdAt: '2026-01-01T10:00:00.000Z' }
    const ended: Readonly<Record<string, object>> = {
      kept: { endReason: 'deleted', options: { record: { console: true, keep: 'on-failure' } } },
      lost: { endReason: 'lost', options: { record: true } },
      old: { endReason: 'ttl' },
    }
    await using view = await dashboard().open('nowhere')
    const { page } = view
    await page.route(/\/v2\/browser\/\w+(?:\/recordings)?$/, async (route) => {
      const [, id = '', list] = /browser\/(\w+)(\/recordings)?$/.exec(route.request().url()) ?? []
      await route.fulfill({
        json: list === undefined ? { ...session, id, name: id, ...ended[id] } : { success: true, recordings: [] },
      })
    })

    await view.goTo('sessions/kept', 'kept')
    await page.getByText('recordings are deleted if a session does not fail').waitFor()
    await view.goTo('sessions/lost', 'lost')
    await page.getByText('The server stopped before it could store them').waitFor()
    await view.goTo('sessions/old', 'old')
    await page.getByText('The options of this session were not stored').waitFor()
    await page.getByText('It was not recorded, or its recordings have been deleted').waitFor()
    expect(view.consoleErrors).toEqual([])
  })

  test('an ended session starts again with its options, recorded, and the form names the secrets it lacks', async () => {
    const { lab } = dashboard()
    const options = {
      name: 'Nightly import',
      metadata: { customer: '4711' },
      ttl: 90,
      allowedDomains: ['a.test', '*.b.test'],
      locale: 'de-DE',
      viewport: { width: 500, height: 400, deviceScaleFactor: 2 },
      geolocation: { latitude: 52.5, longitude: -13.4 },
      keepFiles: true,
      onBrowserClose: 'delete' as const,
    }
    const extraHeaders = { 'https://a.test': { 'x-key': 'hush' } }
    const { id } = await lab.createSession({ ...options, extraHeaders })
    await lab.api('DELETE', `/v2/browser/${id}`)
    await using view = await dashboard().open(`sessions/${id}`)
    const { page } = view
    await page.getByRole('heading', { name: 'This session was not recorded' }).waitFor()
    await page.getByRole('button', { name: 'Start again and record' }).click()
    const form = page.getByRole('dialog')

    expect(await form.getByRole('note').textContent()).toContain('can contain secrets: extraHeaders')
    expect(await findViolations(page)).toEqual([])
    await form.getByText('Device, language and headers').click()
    await form.getByLabel('Extra headers').fill('https://a.test x-key: hush')
    const creation = page.waitForRequest((request) => request.method() === 'POST')
    await form.getByRole('button', { name: 'Start' }).click()
    const sent = (await creation).postDataJSON() as object
    expect(sent).toEqual({ ...options, extraHeaders, activityTtl: 300, record: true })

    await page.frameLocator('iframe').locator('body[data-phase=live]').waitFor()
    expect(page.url()).not.toContain(id)
    expect(await form.count()).toBe(0)
    const started = /sessions\/([\w-]+)/.exec(page.url())?.[1]
    await lab.api('DELETE', `/v2/browser/${started}`)
    expect(view.consoleErrors).toEqual([])
  })
}
