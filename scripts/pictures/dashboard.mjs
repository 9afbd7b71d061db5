import { playwright } from '../../src/playwright.ts'
import { openDashboard, openStudio } from './studio.mjs'
import { wallPages } from './wall-pages.mjs'

const window = { width: 1240, height: 800 }

/** Takes a picture of the sessions page with live thumbnails. */
export async function takeDashboard(path) {
  await using undo = new AsyncDisposableStack()
  const { site, server, camera, api } = undo.use(await openStudio())
  const ended = await api('POST', '/v2/browser')
  await api('DELETE', `/v2/browser/${ended.id}`)
  // The dashboard lists the newest session first.
  for (const { html, profile } of [...wallPages, { profile: 'harbour-login' }].toReversed()) {
    const session = await api('POST', '/v2/browser', profile === undefined ? {} : { profile: { name: profile } })
    const { page } = undo.use(await playwright.connect(session))
    await page.setViewportSize({ width: 1024, height: 640 })
    await page.goto(site.url)
    if (html !== undefined) await page.setContent(html)
  }
  const viewer = await openDashboard({ server, camera }, { viewport: window, colorScheme: 'light' })
  await viewer.locator('.thumbnail canvas:not([hidden])').nth(wallPages.length).waitFor()
  await viewer.locator('body').evaluate(`new Promise((resolve) => setTimeout(resolve, 3000))`)
  await viewer.screenshot({ path })
}
