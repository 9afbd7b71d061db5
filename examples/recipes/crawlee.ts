// Runs Crawlee on one Bowline session. Crawlee manages the request queue and retries.
// npm install @crawlee/playwright playwright
import { Configuration, PlaywrightCrawler } from '@crawlee/playwright'
import { Bowline } from 'bowline'
import { chromium, type BrowserType } from 'playwright-core'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

const { creditsBilled } = await bowline.withSession({ ttl: 300 }, async ({ session }) => {
  // Crawlee connects instead of launching a browser. Closing the connection keeps the session.
  const launch: BrowserType['launch'] = () => chromium.connectOverCDP(session.cdpUrl)
  const launcher = Object.create(chromium, { launch: { value: launch } }) as BrowserType
  const crawler = new PlaywrightCrawler(
    {
      launchContext: { launcher, useIncognitoPages: true },
      browserPoolOptions: {
        useFingerprints: false,
        // Removes the local proxy that Crawlee adds: sessions have their own egress proxy.
        prePageCreateHooks: [(_id, _browser, options) => void Object.assign(options ?? {}, { proxy: undefined })],
      },
      maxRequestsPerCrawl: 5,
      requestHandler: async ({ page, request, enqueueLinks }) => {
        console.log(`${new URL(request.url).pathname}: ${await page.title()}`)
        await enqueueLinks()
      },
    },
    new Configuration({ persistStorage: false }),
  )
  await crawler.run([url])
})

console.log(`${creditsBilled} credits`)
