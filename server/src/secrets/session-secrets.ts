import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { CdpRouter } from '../cdp/router.ts'
import { enterText } from './enter-text.ts'
import { findFocusedOrigin } from './focused-origin.ts'
import { SecretMask } from './secret-mask.ts'
import { allowsOrigin } from './secret-origins.ts'
import type { Secrets } from './secrets.ts'

/** Dependencies of `SessionSecrets`. */
export interface SessionSecretsDeps {
  readonly secrets: Pick<Secrets, 'reveal'>
  readonly teamId: string
  readonly router: CdpRouter
}

/** Types secrets into pages of one session, and masks them in what the session leaves behind. */
export class SessionSecrets {
  /** Masks the secrets that were typed in the session. */
  readonly mask = new SecretMask()
  readonly #deps: SessionSecretsDeps

  constructor(deps: SessionSecretsDeps) {
    this.#deps = deps
  }

  /**
   * Types a secret into the focused field of a page. `slowly`: character by character, for fields
   * that handle keys. Throws SECRET_NOT_FOUND, SECRET_UNREADABLE, SECRET_REFUSED, CDP_FAILED, or
   * TIMEOUT if the page does not respond.
   */
  async type(targetId: string, name: string, options: { readonly slowly: boolean }): Promise<void> {
    const { secrets, teamId, router } = this.#deps
    const { text, origins } = await secrets.reveal({ teamId, name })
    const limit = AbortSignal.timeout(timeoutMs)
    await using resources = new AsyncDisposableStack()
    const typing = async (): Promise<void> => {
      const frame = await findFocusedOrigin(router, targetId, resources)
      if (!allowsOrigin(origins, frame.origin)) throw wrongOrigin(name, frame.origin, origins)
      // Before it is typed, because the page can send it at once.
      this.mask.add(name, text)
      await enterText(frame, text, options)
    }
    await abortable(typing(), limit).catch((error: unknown) => {
      throw limit.aborted
        ? new BowlineError('TIMEOUT', `The page did not accept input for ${timeoutMs / 1000} s`)
        : error
    })
  }
}

const timeoutMs = 15_000

function wrongOrigin(name: string, origin: string, allowed: readonly string[]): BowlineError {
  const focused = /^https?:/.test(origin) ? `of ${origin.slice(0, 300)}` : 'without an origin'
  return new BowlineError(
    'SECRET_REFUSED',
    `A frame ${focused} has the focus, and the secret ${JSON.stringify(name)} may be typed only into ${allowed.join(', ')}`,
  )
}
