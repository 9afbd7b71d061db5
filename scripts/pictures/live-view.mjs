import { playwright } from '../../src/playwright.ts'
import { openStudio } from './studio.mjs'

const watched = { width: 1120, height: 730 }
const window = { width: 1152, height: 848 }

/**
 * Takes a picture of a session driven by Playwright and through its interactive live view.
 */
export async function takeLiveView(path) {
  await using undo = new AsyncDisposableStack()
  const { site, camera, api } = undo.use(await openStudio())
  const session = await api('POST', '/v2/browser')

  const { page } = undo.use(await playwright.connect(session))
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setDeviceMetricsOverride', { ...watched, deviceScaleFactor: 2, mobile: false })
  await page.goto(site.url)
  const tides = await page.context().newPage()
  await tides.setContent('<title>Tide tables</title><h1>High water 14:20</h1>')
  await page.bringToFront()

  const viewer = await camera.newPage({ viewport: window, deviceScaleFactor: 1.5, colorScheme: 'light' })
  await viewer.goto(session.interactiveLiveViewUrl)
  await viewer.waitForSelector('body[data-phase=live]')

  const click = async (selector) => {
    const box = await page.locator(selector).boundingBox()
    const canvas = await viewer.locator('#canvas').boundingBox()
    const scale = canvas.width / watched.width
    await viewer.mouse.click(canvas.x + (box.x + box.width / 2) * scale, canvas.y + (box.y + box.height / 2) * scale)
  }
  await click('[name=boat]')
  await viewer.keyboard.type('Fram')
  await click('[name=metres]')
  await viewer.keyboard.type('12')
  await page.waitForFunction(`document.querySelector('[name=metres]').value === '12'`)
  await click('button')
  await page.waitForSelector('output[data-state=done]')
  await viewer.locator('body').evaluate(`new Promise((resolve) => setTimeout(resolve, 800))`)
  await viewer.screenshot({ path })
}
