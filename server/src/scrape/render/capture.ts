import type { MadeFile } from '../document/scrape-files.ts'
import type { Tab } from './tab.ts'

/** What a screenshot shows. */
export interface ScreenshotWish {
  readonly fullPage: boolean
  readonly quality?: number | undefined
  readonly viewport?: { readonly width: number; readonly height: number } | undefined
}

/** How a page is printed. */
export interface PdfWish {
  readonly landscape: boolean
  readonly scale: number
  readonly format: keyof typeof paperInches
}

/** Chromium draws no picture that is higher, in pixels. */
const maxHeight = 16_384

/** Takes a picture of the page. */
export async function takeScreenshot(tab: Tab, wish: ScreenshotWish): Promise<MadeFile> {
  const { viewport } = wish
  if (viewport !== undefined) {
    await tab.call('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false })
  }
  const format = wish.quality === undefined ? 'png' : 'jpeg'
  const { data } = await tab.call('Page.captureScreenshot', {
    format,
    ...(wish.quality === undefined ? {} : { quality: wish.quality }),
    ...(wish.fullPage ? { captureBeyondViewport: true, clip: await wholePage(tab) } : {}),
  })
  return { bytes: Buffer.from(String(data), 'base64'), type: `image/${format}` }
}

async function wholePage(tab: Tab): Promise<object> {
  const { cssContentSize } = await tab.call('Page.getLayoutMetrics')
  const { width, height } = cssContentSize as { readonly width: number; readonly height: number }
  if (height > maxHeight) {
    tab.cuts.add(`The page is ${Math.ceil(height)} px high: the screenshot shows the first ${maxHeight} px.`)
  }
  return { x: 0, y: 0, width, height: Math.min(height, maxHeight), scale: 1 }
}

/** Prints the page. */
export async function printPdf(tab: Tab, { landscape, scale, format }: PdfWish): Promise<MadeFile> {
  const [paperWidth, paperHeight] = paperInches[format]
  const { data } = await tab.call('Page.printToPDF', {
    landscape,
    scale,
    paperWidth,
    paperHeight,
    printBackground: true,
  })
  return { bytes: Buffer.from(String(data), 'base64'), type: 'application/pdf' }
}

const paperInches = {
  A0: [33.11, 46.81],
  A1: [23.39, 33.11],
  A2: [16.54, 23.39],
  A3: [11.69, 16.54],
  A4: [8.27, 11.69],
  A5: [5.83, 8.27],
  A6: [4.13, 5.83],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
} as const
