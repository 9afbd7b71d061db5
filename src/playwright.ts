/** Connects Playwright to remote sessions. @module */
export { playwright, type PlaywrightHandles } from './drivers/playwright.ts'
export { typeSecret, type SecretPage, type TypeSecretOptions } from './drivers/type-secret.ts'
