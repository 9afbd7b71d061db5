import { describe } from 'vitest'
import type { Driver } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { puppeteer } from '../../src/puppeteer.ts'

/** The common subset of the Playwright and Puppeteer handles. */
export interface SharedHandles {
  readonly browser: { readonly close: () => Promise<void> }
  readonly context: { readonly pages: () => SharedPage[] | Promise<SharedPage[]> }
  readonly page: SharedPage
}

/** The common subset of the Playwright and Puppeteer page. */
export interface SharedPage {
  readonly goto: (url: string) => Promise<unknown>
  readonly setDefaultTimeout: (timeoutMs: number) => void
  readonly title: () => Promise<string>
  readonly url: () => string
  readonly evaluate: <Result>(pageFunction: string) => Promise<Result>
}

/** Both drivers, typed by their common subset. */
export const drivers: readonly Driver<SharedHandles>[] = [playwright, puppeteer as unknown as Driver<SharedHandles>]

/** Runs a spec once with each driver. */
export function describeEachDriver(title: string, spec: (driver: Driver<SharedHandles>) => void): void {
  for (const driver of drivers) {
    describe(`${title}, through ${driver.name}`, () => {
      spec(driver)
    })
  }
}
