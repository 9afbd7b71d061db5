/** Connects Playwright to remote sessions. @module */
export { playwright, type PlaywrightHandles } from './drivers/playwright.ts'
