import { isError } from '../kit/is-error.ts'
/** The part of a page that Playwright and Puppeteer have in common, and that the demo uses. */
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

/** What the demo needs of a connected driver. */
export interface DemoHandles {
  readonly page: DemoPage
  readonly context: { readonly newPage: () => Promise<DemoPage> }
}

/** What a visit saw. */
export interface Visit {
  readonly url: string
  readonly title: string
  /** What was done on the page, and what came of it. */
  readonly outcome: string
  readonly screenshot: string
  /** Why the wanted page was not driven, when it was not. */
  readonly insteadBecause?: string | undefined
}

/** What a visit is to drive. */
export interface VisitPlan {
  /** Address of the bundled site. */
  readonly siteUrl: string
  /** Address the user wants. Default: the bundled site. */
  readonly wantedUrl?: string | undefined
  readonly screenshot: `${string}.png`
  /** What the boat is called in the bundled site's form. */
  readonly boat: string
}

/** Drives the wanted page; the bundled one when none is wanted or it cannot be reached. */
export async function visit({ page, context }: DemoHandles, plan: VisitPlan): Promise<Visit> {
  if (plan.wantedUrl === undefined) return look(page, await askForBerth(page, plan), plan)
  const insteadBecause = await openOrExplain(page, plan.wantedUrl)
  if (insteadBecause === undefined) return look(page, await countLinks(page), plan)
  // Chromium's error page may still be on its way into the first page, and would interrupt what is opened there.
  const second = await context.newPage()
  return { ...(await look(second, await askForBerth(second, plan), plan)), insteadBecause }
}

async function look(page: DemoPage, outcome: string, { screenshot }: VisitPlan): Promise<Visit> {
  await page.screenshot({ path: screenshot })
  return { url: page.url(), title: await page.title(), outcome, screenshot }
}

async function openOrExplain(page: DemoPage, url: string): Promise<string | undefined> {
  try {
    await page.goto(url)
    return undefined
  } catch (error) {
    // Both libraries put Chromium's own name for a failed load into the message; anything else is not about the network.
    const reason = isError(error) ? /net::ERR_\w+|[Tt]imeout/.exec(error.message)?.[0] : undefined
    if (reason === undefined) throw error
    return `${url} could not be reached (${reason})`
  }
}

async function askForBerth(page: DemoPage, { siteUrl, boat }: VisitPlan): Promise<string> {
  await page.goto(siteUrl)
  await page.locator('[name=boat]').fill(boat)
  await page.locator('[name=metres]').fill('8.5')
  await page.locator('button').click()
  await page.waitForSelector('output[data-state=answered]')
  return `filled in the form and read: ${String(await page.evaluate(`document.querySelector('output').textContent`))}`
}

async function countLinks(page: DemoPage): Promise<string> {
  const counts = `[document.links.length, document.querySelectorAll('*').length].join(' links in ')`
  return `counted ${String(await page.evaluate(counts))} elements`
}
