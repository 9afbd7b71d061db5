// Crawlee on a Bowline session: Crawlee decides what to visit and when to try again, the browser is remote and billed once.
// npm install @crawlee/playwright playwright
import { Configuration, PlaywrightCrawler } from '@crawlee/playwright'
import { Bowline } from 'bowline'
import { chromium, type BrowserType } from 'playwright-core'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

const { creditsBilled } = await bowline.withSession({ ttl: 300 }, async ({ session }) => {
  // What Crawlee launches is a connection; closing it leaves the session.
  const launch: BrowserType['launch'] = () => chromium.connectOverCDP(session.cdpUrl)
  const launcher = Object.create(chromium, { launch: { value: launch } }) as BrowserType
  const crawler = new PlaywrightCrawler(
    {
      launchContext: { launcher, useIncognitoPages: true },
      browserPoolOptions: {
        useFingerprints: false,
        // Crawlee puts a proxy of its own before a local browser; a session has its own way out.
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
