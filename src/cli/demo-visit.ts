import { isError } from '../kit/is-error.ts'

/** The methods of a page that the demo uses and that Playwright and Puppeteer share. */
export interface DemoPage {
  readonly goto: (url: string) => Promise<unknown>
  readonly url: () => string
  readonly title: () => Promise<string>
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly waitForSelector: (selector: string) => Promise<unknown>
  readonly screenshot: (options: { path: `${string}.png` }) => Promise<unknown>
  readonly locator: (selector: string) => {
    readonly fill: (value: string) => Promise<void>
    readonly click: () => Promise<void>
  }
}

/** Handles of a connected driver that the demo uses. */
export interface DemoHandles {
  readonly page: DemoPage
  readonly context: { readonly newPage: () => Promise<DemoPage> }
}

/** Result of a visit. */
export interface Visit {
  readonly url: string
  readonly title: string
  /** The actions on the page and their result. */
  readonly outcome: string
  readonly screenshot: string
  /** Why the bundled page was used instead of the requested one. */
  readonly fallbackReason?: string | undefined
}

/** Options of a visit. */
export interface VisitPlan {
  /** URL of the bundled site. */
  readonly siteUrl: string
  /** URL that the user requested. Default: the bundled site. */
  readonly requestedUrl?: string | undefined
  readonly screenshot: `${string}.png`
  /** Name of the boat for the form of the bundled site. */
  readonly boat: string
}

/** Drives the requested page, or the bundled page if none is requested or it cannot be reached. */
export async function visit({ page, context }: DemoHandles, plan: VisitPlan): Promise<Visit> {
  if (plan.requestedUrl === undefined) return capture(page, await requestBerth(page, plan), plan)
  const fallbackReason = await openOrExplain(page, plan.requestedUrl)
  if (fallbackReason === undefined) return capture(page, await countLinks(page), plan)
  // Chromium's error page can still be loading in the first page and would interrupt a navigation.
  const second = await context.newPage()
  return { ...(await capture(second, await requestBerth(second, plan), plan)), fallbackReason }
}

async function capture(page: DemoPage, outcome: string, { screenshot }: VisitPlan): Promise<Visit> {
  await page.screenshot({ path: screenshot })
  return { url: page.url(), title: await page.title(), outcome, screenshot }
}

async function openOrExplain(page: DemoPage, url: string): Promise<string | undefined> {
  try {
    await page.goto(url)
    return undefined
  } catch (error) {
    // Both libraries include Chromium's network error code in the message.
    const reason = isError(error) ? /net::ERR_\w+|[Tt]imeout/.exec(error.message)?.[0] : undefined
    if (reason === undefined) throw error
    return `${url} could not be reached (${reason})`
  }
}

async function requestBerth(page: DemoPage, { siteUrl, boat }: VisitPlan): Promise<string> {
  await page.goto(siteUrl)
  await page.locator('[name=boat]').fill(boat)
  await page.locator('[name=metres]').fill('8.5')
  await page.locator('button').click()
  await page.waitForSelector('output[data-state=done]')
  return `filled in the form and read: ${String(await page.evaluate(`document.querySelector('output').textContent`))}`
}

async function countLinks(page: DemoPage): Promise<string> {
  const counts = `[document.links.length, document.querySelectorAll('*').length].join(' links in ')`
  return `counted ${String(await page.evaluate(counts))} elements`
}
