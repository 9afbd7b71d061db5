/** Drives sessions with Puppeteer. @module */
export { puppeteer, type PuppeteerHandles } from './drivers/puppeteer.ts'
