// Takes docs/live-view.png from the running product: a session that Playwright drives, helped along through its
// interactive live view in a second browser. Run it after the view has changed: `node scripts/pictures.mjs`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startDemoSite } from '../src/cli/demo-site.ts'
import { playwright } from '../src/playwright.ts'
import { startServer } from '../src/server.ts'

const target = fileURLToPath(new URL('../docs/live-view.png', import.meta.url))
const watched = { width: 1120, height: 730 }
const window = { width: 1152, height: 848 }

await using undo = new AsyncDisposableStack()
const dataDir = await mkdtemp(join(tmpdir(), 'bowline-pictures-'))
undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
const site = undo.use(await startDemoSite())
const server = undo.use(await startServer({ port: 0, dataDir, warm: 1, allow: ['127.0.0.1'], logLevel: 'warn' }))

const answer = await fetch(`${server.url}/v2/browser`, {
  method: 'POST',
  headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
  body: '{}',
})
const session = await answer.json()

const { page } = undo.use(await playwright.connect(session))
const client = await page.context().newCDPSession(page)
await client.send('Emulation.setDeviceMetricsOverride', { ...watched, deviceScaleFactor: 2, mobile: false })
await page.goto(site.url)
const tides = await page.context().newPage()
await tides.setContent('<title>Tide tables</title><h1>High water 14:20</h1>')
await page.bringToFront()

const executablePath = server.browser.path.replace('chromium-headless-shell', 'chromium')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
undo.defer(async () => browser.close())
const viewer = await browser.newPage({ viewport: window, deviceScaleFactor: 1.5, colorScheme: 'light' })
await viewer.goto(session.interactiveLiveViewUrl)
await viewer.waitForSelector('body[data-phase=live]')

const click = async (selector) => {
  const place = await page.locator(selector).boundingBox()
  const picture = await viewer.locator('#picture').boundingBox()
  const scale = picture.width / watched.width
  await viewer.mouse.click(
    picture.x + (place.x + place.width / 2) * scale,
    picture.y + (place.y + place.height / 2) * scale,
  )
}
await click('[name=boat]')
await viewer.keyboard.type('Fram')
await click('[name=metres]')
await viewer.keyboard.type('12')
await page.waitForFunction(`document.querySelector('[name=metres]').value === '12'`)
await click('button')
await page.waitForSelector('output[data-state=answered]')
await viewer.locator('body').evaluate(`new Promise((resolve) => setTimeout(resolve, 800))`)
await viewer.screenshot({ path: target })
console.log(target)
