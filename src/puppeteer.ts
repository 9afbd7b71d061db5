/** Connects Puppeteer to remote sessions. @module */
export { puppeteer, type PuppeteerHandles } from './drivers/puppeteer.ts'
