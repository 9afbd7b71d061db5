import { BowlineError } from '../kit/errors.ts'
import { messageOf } from '../kit/message-of.ts'

/** A CDP session of a page, as Playwright and Puppeteer open it. */
interface PageCdp {
  readonly send: (method: never, params: never) => Promise<unknown>
  readonly detach: () => Promise<void>
}

/** A page of Playwright or Puppeteer. */
export type SecretPage =
  | { readonly createCDPSession: () => Promise<PageCdp> }
  | { readonly context: () => { readonly newCDPSession: (page: never) => Promise<PageCdp> } }

/**
 * Options of `typeSecret()`.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright, typeSecret, type TypeSecretOptions } from 'bowline/playwright'
 *
 * const bowline = new Bowline()
 * await bowline.secrets.set('PIN', { value: '4711', origins: ['https://example.com'] })
 * const options: TypeSecretOptions = { slowly: true } // for a field that moves on after each digit
 * await bowline.withSession({ driver: playwright }, async ({ page }) => {
 *   await page.goto('https://example.com')
 *   await page.setContent('<input type="password">')
 *   await page.locator('input').focus()
 *   await typeSecret(page, 'PIN', options)
 * })
 * ```
 */
export interface TypeSecretOptions {
  /**
   * Enter each character with the events of its key, for pages that handle keys. Default: false.
   */
  readonly slowly?: boolean | undefined
}

/**
 * Types a secret into the focused field of a page, behind what the field contains. The server does
 * it, so this process never has the value. Rejects with SECRET_NOT_FOUND, with SECRET_UNREADABLE if
 * the server cannot decrypt it, or with SECRET_REFUSED if the focused frame is not of an origin of
 * the secret or no editable field has the focus.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright, typeSecret } from 'bowline/playwright'
 *
 * const bowline = new Bowline()
 * const origins = ['https://example.com']
 * await bowline.secrets.set('LOGIN_PASSWORD', { value: 'correct horse', origins })
 * await bowline.withSession({ driver: playwright }, async ({ page }) => {
 *   await page.goto('https://example.com')
 *   await page.setContent('<input type="password">')
 *   await page.locator('input').focus()
 *   await typeSecret(page, 'LOGIN_PASSWORD')
 * })
 * ```
 */
export async function typeSecret(page: SecretPage, name: string, options: TypeSecretOptions = {}): Promise<void> {
  const cdp = await ('createCDPSession' in page ? page.createCDPSession() : page.context().newCDPSession(page as never))
  try {
    await cdp.send('Bowline.typeSecret' as never, { name, slowly: options.slowly ?? false } as never)
  } catch (cause) {
    const reason = messageOf(cause).replace(/^.*?Protocol error \(Bowline\.typeSecret\): /, '')
    const [, code = 'SECRET_REFUSED', problem = reason] = /^([A-Z]+(?:_[A-Z]+)+): (.*)$/s.exec(reason) ?? []
    throw new BowlineError(code, `The secret ${JSON.stringify(name)} was not typed: ${problem}`, { cause })
  } finally {
    await cdp.detach().catch(() => undefined)
  }
}
