import { paths } from 'bowline/contract/paths'
import { newClient } from '../components/new-client.ts'
import type { Snippets } from '../components/snippet.tsx'

/** Snippets that start a session. */
export function firstSession(): Snippets {
  return {
    TypeScript: `import { playwright } from 'bowline/playwright'
${newClient()}
const { result } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
  await page.goto('https://example.com')
  return page.title()
})`,
    curl: `curl -X POST ${location.origin}${paths.createSession.path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' -d '{ "ttl": 600 }'`,
    'Any program': `export BOWLINE_BASE_URL=${location.origin}
bowline exec -- python3 my_script.py   # gets the CDP URL in $BOWLINE_CDP_URL`,
  }
}

/** Snippets that record a session. */
export function recordedSession(): Snippets {
  return {
    TypeScript: `import { playwright } from 'bowline/playwright'
${newClient()}
await bowline.withSession({ driver: playwright, record: true }, async ({ page }) => {
  await page.goto('https://example.com')
})`,
    curl: `curl -X POST ${location.origin}${paths.createSession.path} \\
  -H "Authorization: Bearer $BOWLINE_API_KEY" \\
  -H 'Content-Type: application/json' -d '{ "record": true }'`,
  }
}

/** Snippets that connect to a live session. The URL contains a token for this session. */
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
