import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'

/** How a first session is made. */
export function firstSession(): Snippets {
  return {
    TypeScript: `import { playwright } from 'bowline/playwright'
${newClient()}
const { result } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
  await page.goto('https://example.com')
  return page.title()
})`,
    curl: `curl -X POST ${location.origin}/v2/browser \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' -d '{ "ttl": 600 }'`,
    'Any program': `export BOWLINE_BASE_URL=${location.origin}
bowline exec -- python3 my_script.py   # finds the browser in $BOWLINE_CDP_URL`,
  }
}

/** How a client connects to a session that lives. The address holds a token of this session alone. */
export function connectTo(cdpUrl: string): Snippets {
  return {
    Playwright: `import { chromium } from 'playwright-core'

const browser = await chromium.connectOverCDP('${cdpUrl}')
const [context] = browser.contexts()
const page = context.pages()[0] ?? (await context.newPage())`,
    Puppeteer: `import puppeteer from 'puppeteer-core'

const browser = await puppeteer.connect({
  browserWSEndpoint: '${cdpUrl}',
  defaultViewport: null,
})
const [page] = await browser.pages()`,
    CDP: cdpUrl,
  }
}
