import { once } from 'node:events'
import { chromium } from 'playwright-core'
import puppeteerCore from 'puppeteer-core'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { puppeteer } from '../../src/puppeteer.ts'
import type { Driver } from '../../src/index.ts'
import type { SharedHandles } from '../lab/drivers.ts'
import { driverFiles } from './driver-files.ts'

/**
 * Downloads and uploads one big file and prints the memory used. A separate process gives an exact
 * measurement.
 */
const [name = '', url = '', uploadUrl = '', folder = ''] = process.argv.slice(2)
const drivers: Readonly<Record<string, Driver<SharedHandles>>> = {
  playwright: playwright.with(chromium),
  puppeteer: puppeteer.with(puppeteerCore) as unknown as Driver<SharedHandles>,
}
const driver = drivers[name]!
const hands = driverFiles[name]!

const bowline = new Bowline({ reaper: false })
await bowline.withSession({ driver }, async ({ page }) => {
  await page.goto(uploadUrl)
  const before = process.resourceUsage().maxRSS
  const startedAt = performance.now()
  const path = await hands.download(page, url, folder, `${name}.bin`)
  const downloadedAt = performance.now()
  await hands.upload(page, [path])
  const arrived = await page.evaluate<string>(
    `fetch('/sink', { method: 'POST', body: document.querySelector('input').files[0] }).then((answer) => answer.text())`,
  )
  process.stdout.write(
    JSON.stringify({
      path,
      arrived,
      downloadMs: Math.round(downloadedAt - startedAt),
      uploadMs: Math.round(performance.now() - downloadedAt),
      grownMb: Math.round((process.resourceUsage().maxRSS - before) / 1024),
    }),
  )
})
process.stdout.end()
await once(process.stdout, 'close')
