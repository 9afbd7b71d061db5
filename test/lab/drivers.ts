import { describe } from 'vitest'
import type { Driver } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { puppeteer } from '../../src/puppeteer.ts'

/** What both libraries understand alike, so that one spec holds for both. */
export interface SharedHandles {
  readonly browser: { readonly close: () => Promise<void> }
  readonly context: { readonly pages: () => SharedPage[] | Promise<SharedPage[]> }
  readonly page: SharedPage
}

/** A page as both libraries have it. */
export interface SharedPage {
  readonly goto: (url: string) => Promise<unknown>
  readonly setDefaultTimeout: (timeoutMs: number) => void
  readonly title: () => Promise<string>
  readonly url: () => string
  readonly evaluate: <Result>(pageFunction: string) => Promise<Result>
}

/** The drivers, as specs that hold for both see them. */
export const drivers: readonly Driver<SharedHandles>[] = [playwright, puppeteer as unknown as Driver<SharedHandles>]

/** Runs a spec once with each driver. */
export function describeEachDriver(title: string, spec: (driver: Driver<SharedHandles>) => void): void {
  for (const driver of drivers) {
    describe(`${title}, through ${driver.name}`, () => {
      spec(driver)
    })
  }
}
