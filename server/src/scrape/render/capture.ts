import type { Protocol } from '../../cdp/protocol.ts'
import type { Tab } from './tab.ts'

/** A screenshot or a PDF. */
export interface CapturedFile {
  readonly bytes: Uint8Array
  readonly type: 'image/png' | 'image/jpeg' | 'application/pdf'
}

/** Options of a screenshot. */
export interface ScreenshotOptions {
  readonly fullPage: boolean
  /** JPEG quality, 0 to 100. Default: PNG. */
  readonly quality?: number | undefined
  readonly viewport?: { readonly width: number; readonly height: number } | undefined
}

/** Options of a printed page. */
export interface PrintOptions {
  readonly landscape: boolean
  readonly scale: number
  readonly format: keyof typeof paperInches
}

/** Maximum height of a screenshot in Chromium, in pixels. */
const maxHeight = 16_384

/** Takes a screenshot of a page. */
export async function takeScreenshot(tab: Tab, options: ScreenshotOptions): Promise<CapturedFile> {
  const { viewport } = options
  if (viewport !== undefined) {
    await tab.call('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false })
  }
  const format = options.quality === undefined ? 'png' : 'jpeg'
  const { data } = await tab.captureScreenshot({
    format,
    ...(options.quality === undefined ? {} : { quality: options.quality }),
    ...(options.fullPage ? { captureBeyondViewport: true, clip: await fullPageClip(tab) } : {}),
  })
  return { bytes: Buffer.from(data, 'base64'), type: `image/${format}` }
}

async function fullPageClip(tab: Tab): Promise<Protocol.Page.Viewport> {
  const { cssContentSize } = await tab.call('Page.getLayoutMetrics')
  const { width, height } = cssContentSize
  if (height > maxHeight) {
    tab.warnings.add(`The page is ${Math.ceil(height)} px high: the screenshot shows the first ${maxHeight} px.`)
  }
  return { x: 0, y: 0, width, height: Math.min(height, maxHeight), scale: 1 }
}

/** Prints a page as PDF. */
export async function printPdf(tab: Tab, { landscape, scale, format }: PrintOptions): Promise<CapturedFile> {
  const [paperWidth, paperHeight] = paperInches[format]
  const { data } = await tab.call('Page.printToPDF', {
    landscape,
    scale,
    paperWidth,
    paperHeight,
    printBackground: true,
  })
  return { bytes: Buffer.from(data, 'base64'), type: 'application/pdf' }
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
