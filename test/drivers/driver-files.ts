import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page as PlaywrightPage } from 'playwright-core'
import type { Page as PuppeteerPage } from 'puppeteer-core'
import type { SharedPage } from '../lab/drivers.ts'
import { downloadContent } from '../lab/pages/files.ts'

/** File operations of a user, implemented with each library. */
export interface DriverFiles {
  /** Downloads `url` into `folder` and returns the resulting path. */
  readonly download: (page: SharedPage, url: string, folder: string, name: string) => Promise<string>
  /** Sets local files on an input of a page. */
  readonly upload: (page: SharedPage, paths: readonly string[]) => Promise<void>
  /** Sets local files through a file chooser opened by a click. */
  readonly choose: (page: SharedPage, paths: readonly string[]) => Promise<void>
}

/** Starts a download without leaving the page. */
export function follow(url: string): string {
  return `Object.assign(document.createElement('a'), { href: ${JSON.stringify(url)} }).click()`
}

const viaPlaywright: DriverFiles = {
  download: async (shared, url, folder) => {
    const page = shared as unknown as PlaywrightPage
    const downloading = page.waitForEvent('download', (download) => download.url() === url)
    await page.evaluate(follow(url))
    const download = await downloading
    const path = join(folder, download.suggestedFilename())
    await download.saveAs(path)
    return path
  },
  upload: async (shared, paths) => (shared as unknown as PlaywrightPage).setInputFiles('input', [...paths]),
  choose: async (shared, paths) => {
    const page = shared as unknown as PlaywrightPage
    const choosing = page.waitForEvent('filechooser')
    await page.click('input')
    await (await choosing).setFiles([...paths])
  },
}

const viaPuppeteer: DriverFiles = {
  download: async (shared, url, folder, name) => {
    const page = shared as unknown as PuppeteerPage
    const client = await page.createCDPSession()
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
    await page.evaluate(follow(url))
    const path = join(folder, name)
    for (const deadline = Date.now() + 60_000; !existsSync(path); await delay(20)) {
      if (Date.now() > deadline) throw new Error(`${path} did not appear within 60 s`)
    }
    return path
  },
  upload: async (shared, paths) => {
    const page = shared as unknown as PuppeteerPage
    const input = await page.$('input')
    await input?.uploadFile(...paths)
  },
  choose: async (shared, paths) => {
    const page = shared as unknown as PuppeteerPage
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('input')])
    await chooser.accept([...paths])
  },
}

/** File operations by driver name. */
export const driverFiles: Readonly<Record<string, DriverFiles>> = { playwright: viaPlaywright, puppeteer: viaPuppeteer }

/** Returns the SHA-256 of a content in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Returns the content of a download of this many bytes from the test site. */
export function contentOf(bytes: number): Buffer {
  return Buffer.concat([...downloadContent(bytes)])
}
