// Creates a session at any service with this API and drives it with your own version of Playwright.
// node examples/10-attach-any-base-url.ts BASE_URL API_KEY [URL]
import { Bowline } from 'bowline'
import { chromium } from 'playwright-core'

const [baseUrl, apiKey, url = 'https://example.com'] = process.argv.slice(2)
const bowline = new Bowline({ baseUrl, apiKey })

{
  // The session is deleted at the end of the block, even after an error.
  await using session = await bowline.sessions.create({ ttl: 60, activityTtl: 30 })
  await using browser = await chromium.connectOverCDP(session.cdpUrl)

  const page = browser.contexts()[0]?.pages()[0]
  await page?.goto(url)
  console.log(`Title: ${await page?.title()}`)
}

const active = await bowline.sessions.list({ status: 'active' })
console.log(`Sessions still active: ${active.length}`)
