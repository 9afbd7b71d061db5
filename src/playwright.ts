/** Connects Playwright to remote sessions. @module */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export { playwright, type PlaywrightHandles } from './drivers/playwright.ts'
export { typeSecret, type SecretPage, type TypeSecretOptions } from './drivers/type-secret.ts'
