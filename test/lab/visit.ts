import { chromium, type Page } from 'playwright-core'

/** Runs a function with the first page of a session through Playwright, then disconnects. */
export async function visit<Result>(
  session: { readonly cdpUrl: string },
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const browser = await chromium.connectOverCDP(session.cdpUrl)
  try {
    return await work(browser.contexts()[0]!.pages()[0]!)
  } finally {
    await browser.close()
  }
}
