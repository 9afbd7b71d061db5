import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'

/** Builds the dashboard when its sources have changed, as the commands of the project do. */
export const { ensureDashboard } = (await import(
  pathToFileURL(join(repository, 'scripts/setup/dashboard.mjs')).href
)) as { readonly ensureDashboard: (context: { readonly root: string }) => Promise<void> }

/** A server with its dashboard, a local site, and a browser to look at it with. */
export interface DashboardFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  /** Opens the dashboard in a browser context of its own, with a key when there is one. */
  readonly open: (place?: string, options?: BrowserContextOptions & { readonly key?: string }) => Promise<View>
}

/** The dashboard as one reader sees it. */
export interface View extends AsyncDisposable {
  readonly page: Page
  /** What the browser complained of: violations of the policy, errors of scripts. */
  readonly complaints: readonly string[]
  /** Goes to a place and waits for its title. */
  readonly goTo: (place: string, title: string) => Promise<void>
}

/** Starts them. `pages` are added to those of the site. Disposing stops them. */
export async function openDashboard(pages: Pages): Promise<DashboardFixture> {
  await using undo = new AsyncDisposableStack()
  await ensureDashboard({ root: repository })
  const lab = undo.use(await startLab())
  const site = undo.use(await startSite(pages))
  const browser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox'] })
  undo.defer(async () => browser.close())
  const opened = undo.move()
  return {
    lab,
    site,
    open: async (place = 'sessions', { key = lab.server.apiKey, ...context } = {}) => {
      const reader = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...context })
      const page = await reader.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text())
      })
      if (key !== '') await page.addInitScript(`sessionStorage.setItem('bowline.key', ${JSON.stringify(key)})`)
      await page.goto(`${lab.server.url}/#/${place}`)
      return {
        page,
        complaints,
        goTo: async (where, title) => {
          await page.locator('h1').first().waitFor()
          await page.evaluate(`location.hash = ${JSON.stringify(`#/${where}`)}`)
          await page.locator('h1', { hasText: title }).waitFor()
        },
        [Symbol.asyncDispose]: async () => reader.close(),
      }
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
