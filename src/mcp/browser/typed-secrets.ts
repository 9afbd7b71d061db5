import type { CDPSession, Page } from 'playwright-core'
import { typeSecret } from '../../drivers/type-secret.ts'
import { BowlineError } from '../../kit/errors.ts'
import { messageOf } from '../../kit/message-of.ts'

/** Types secrets into the pages of one session, and masks them in results. The server does both. */
export class TypedSecrets {
  readonly #cdp: CDPSession
  #isUsed: boolean

  /** `isUsed`: whether secrets were typed in the session before. */
  constructor(cdp: CDPSession, isUsed = false) {
    this.#cdp = cdp
    this.#isUsed = isUsed
  }

  /** Whether a secret was typed in the session. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** Types a secret into the focused field. Rejects with SECRET_REFUSED. */
  async type(page: Page, name: string, options: { readonly slowly: boolean }): Promise<void> {
    // Even if it fails, a part can have been typed.
    this.#isUsed = true
    await typeSecret(page, name, options)
  }

  /**
   * Replaces the secrets that were typed in the session by `<secret>NAME</secret>`. Rejects if the
   * server does not do it: the texts must then be withheld.
   */
  async mask(texts: readonly string[]): Promise<readonly string[]> {
    if (!this.#isUsed || texts.length === 0) return texts
    try {
      const result: unknown = await this.#cdp.send('Bowline.maskSecrets' as never, { texts } as never)
      return (result as { readonly texts: readonly string[] }).texts
    } catch (cause) {
      throw new BowlineError(
        'SECRET_REFUSED',
        `The result is withheld, because it can contain secrets: ${messageOf(cause)}`,
        {
          cause,
          hint: 'Call browser_snapshot to go on.',
        },
      )
    }
  }
}

/** Returns the name in `<secret>NAME</secret>`. Undefined for other texts. */
export function secretNameIn(text: string): string | undefined {
  const [, name] = /^\s*<secret>([\w.-]+)<\/secret>\s*$/.exec(text) ?? []
  if (name !== undefined || !/<secret>[\w.-]+<\/secret>/.test(text)) return name
  throw new BowlineError('BAD_REQUEST', 'A secret cannot be combined with other text', {
    hint: 'Pass only `<secret>NAME</secret>`.',
  })
}
