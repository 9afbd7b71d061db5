/** Connects Puppeteer to remote sessions. @module */
export { puppeteer, type PuppeteerHandles } from './drivers/puppeteer.ts'
export { typeSecret, type SecretPage, type TypeSecretOptions } from './drivers/type-secret.ts'
