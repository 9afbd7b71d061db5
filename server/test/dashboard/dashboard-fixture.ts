import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'

/** Builds the dashboard if its sources have changed. */
export const { ensureDashboard } = (await import(
  pathToFileURL(join(repository, 'scripts/setup/dashboard.mjs')).href
)) as { readonly ensureDashboard: (context: { readonly root: string }) => Promise<void> }

/** A server with its dashboard, a local site, and a browser that shows it. */
export interface DashboardFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  /**
   * Opens the dashboard in a new browser context. `key` defaults to the admin key, `''` to none.
   */
  readonly open: (path?: string, options?: BrowserContextOptions & { readonly key?: string }) => Promise<View>
}

/** The dashboard in one browser context. */
export interface View extends AsyncDisposable {
  readonly page: Page
  /** Errors in the console: script errors and violations of the Content-Security-Policy. */
  readonly consoleErrors: readonly string[]
  /** Navigates to a page and waits for its title. */
  readonly goTo: (path: string, title: string) => Promise<void>
}

/** Starts the fixture. `pages` are added to the site. */
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
    open: async (path = 'sessions', { key = lab.server.apiKey, ...context } = {}) => {
      const reader = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...context })
      const page = await reader.newPage()
      const consoleErrors: string[] = []
      page.on('pageerror', (error) => consoleErrors.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load'))
          consoleErrors.push(message.text())
      })
      if (key !== '') await page.addInitScript(`sessionStorage.setItem('bowline.key', ${JSON.stringify(key)})`)
      await page.goto(`${lab.server.url}/#/${path}`)
      return {
        page,
        consoleErrors,
        goTo: async (target, title) => {
          await page.locator('h1').first().waitFor()
          await page.evaluate(`location.hash = ${JSON.stringify(`#/${target}`)}`)
          await page.locator('h1', { hasText: title }).waitFor()
        },
        [Symbol.asyncDispose]: async () => reader.close(),
      }
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
