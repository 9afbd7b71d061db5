import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startModel } from '../../../test/lab/language-model.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'

/** Builds the dashboard if its sources have changed. */
export const { ensureDashboard } = (await import(
  pathToFileURL(join(repository, 'scripts/setup/dashboard.mjs')).href
)) as { readonly ensureDashboard: (context: { readonly root: string }) => Promise<void> }

/** A server with its dashboard and a language model, a local site, and a browser that shows it. */
export interface DashboardFixture extends AsyncDisposable {
  readonly lab: Lab
  readonly site: Site
  /**
   * Loads the dashboard: without options in a browser context that tests take in turns, else in a
   * new one. `key` defaults to the admin key, `''` to none.
   */
  readonly open: (path?: string, options?: BrowserContextOptions & { readonly key?: string }) => Promise<View>
}

/** The dashboard in one browser context. */
export interface View extends AsyncDisposable {
  readonly page: Page
  /** Errors in the console: script errors and violations of the Content-Security-Policy. */
  readonly consoleErrors: string[]
  /** Navigates to a page and waits for its title. */
  readonly goTo: (path: string, title: string) => Promise<void>
}

/** Starts the fixture. `pages` are added to the site. */
export async function openDashboard(pages: Pages): Promise<DashboardFixture> {
  await using undo = new AsyncDisposableStack()
  await ensureDashboard({ root: repository })
  const model = undo.use(await startModel(() => '{"boats":["red"]}'))
  const lab = undo.use(await startLab({ llmUrl: model.url, llmModel: 'fake' }))
  const site = undo.use(await startSite(pages))
  const browser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox', '--disable-gpu'] })
  undo.defer(async () => browser.close())
  const shown = `${lab.server.url}/#/`
  let idle: View | undefined
  const opened = undo.move()
  return {
    lab,
    site,
    open: async (path = 'sessions', options = {}) => {
      const isShared = Object.keys(options).length === 0
      const { key = lab.server.apiKey, ...context } = options
      const view = (isShared ? idle : undefined) ?? (await openView(browser, key, context))
      if (view === idle) idle = undefined
      await view.page.goto(`${shown}${path}`)
      return {
        ...view,
        [Symbol.asyncDispose]: async () => {
          if (!isShared || idle !== undefined) return view[Symbol.asyncDispose]()
          await view.page.unrouteAll({ behavior: 'ignoreErrors' })
          // Of the same site, for which the browser keeps the process of the page.
          await view.page.goto(`${lab.server.url}/livez`)
          view.consoleErrors.length = 0
          idle = view
        },
      }
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

/** Without animations, each frame of which takes processor time. */
const quiet: BrowserContextOptions = { reducedMotion: 'reduce' }

async function openView(browser: Browser, key: string, options: BrowserContextOptions): Promise<View> {
  const reader = await browser.newContext({ ...quiet, viewport: { width: 1200, height: 800 }, ...options })
  const page = await reader.newPage()
  const consoleErrors: string[] = []
  page.on('pageerror', (error) => consoleErrors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) consoleErrors.push(message.text())
  })
  // Not in frames: that of a recording has no storage.
  if (key !== '') {
    await page.addInitScript(`if (window === top) sessionStorage.setItem('bowline.key', ${JSON.stringify(key)})`)
  }
  return {
    page,
    consoleErrors,
    goTo: async (target, title) => {
      await page.locator('h1').first().waitFor()
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${target}`)}`)
      await page.locator('h1', { hasText: title }).waitFor()
    },
    [Symbol.asyncDispose]: async () => {
      // Requests that a handler still forwards would fail outside of the test.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await reader.close()
    },
  }
}
