import { BowlineError } from '../../kit/errors.ts'
import type { Browser } from '../browsers/launch.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { OpenProfile } from '../profiles/open-profile.ts'
import { launchWithProfile } from './profile-browser.ts'

/** Where a session gets its browser from. */
export interface BrowserSource {
  readonly profile: OpenProfile | undefined
  /** The browser. Throws BROWSER_START_FAILED after three tries, PROFILE_UNREADABLE at once. */
  readonly take: () => Promise<Browser>
  /** Undoes what was begun; for sessions that do not come to life. */
  readonly discard: () => Promise<void>
}

const startAttempts = 3

/** A warm browser of the pool. */
export const fromPool = (browsers: BrowserPool): BrowserSource => ({
  profile: undefined,
  take: async () => insist(async () => browsers.take()),
  discard: async () => undefined,
})

/** A browser that is launched with a profile, from now on. */
export const fromProfile = (browsers: BrowserPool, profile: OpenProfile): BrowserSource => {
  const controller = new AbortController()
  const launching = insist(async () => launchWithProfile(browsers, profile, controller.signal))
  // Admission may fail first; then nobody takes the browser.
  launching.catch(() => undefined)
  return {
    profile,
    take: async () => launching,
    discard: async () => {
      controller.abort(new BowlineError('ABORTED', 'The session was not admitted'))
      const browser = await launching.catch(() => undefined)
      await browser?.kill()
      await profile[Symbol.asyncDispose]()
    },
  }
}

const insist = async (start: () => Promise<Browser>): Promise<Browser> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start()
    } catch (cause) {
      // What says by itself why it failed would fail again.
      if (cause instanceof BowlineError && !['BROWSER_START_FAILED', 'CDP_FAILED'].includes(cause.code)) throw cause
      if (attempt < startAttempts) continue
      const message = Error.isError(cause) ? cause.message : String(cause)
      throw new BowlineError('BROWSER_START_FAILED', `No browser could be started (${attempt} tries): ${message}`, {
        cause,
      })
    }
  }
}
