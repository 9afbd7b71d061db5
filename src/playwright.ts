/** Drives sessions with Playwright. @module */
export { playwright, type PlaywrightHandles } from './drivers/playwright.ts'
