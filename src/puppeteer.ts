/** Connects Puppeteer to remote sessions. @module */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export { puppeteer, type PuppeteerHandles } from './drivers/puppeteer.ts'
export { typeSecret, type SecretPage, type TypeSecretOptions } from './drivers/type-secret.ts'
