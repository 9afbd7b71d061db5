import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../browsers/launch.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { OpenProfile } from '../profiles/open-profile.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { findByIdempotencyKey } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { NewSession } from './admission.ts'
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

/** What a source of browsers is made with. */
export interface BrowserSourceDeps {
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly store: Store
}

/** Where the browser of a session comes from. With a profile it starts now: admission and launch go side by side. */
export async function openSource(
  { browsers, profiles, store }: BrowserSourceDeps,
  id: string,
  { teamId, request, idempotencyKey, use = {} }: NewSession,
): Promise<BrowserSource> {
  if (request.profile === undefined) return fromPool(browsers)
  const { name, saveChanges: isWritable } = request.profile
  try {
    const profile = await profiles.open({ teamId, name, isWritable, sessionId: id })
    const used = use.wrapProfile?.(profile) ?? profile
    return use.startsEmpty === true ? fromPool(browsers, used) : fromProfile(browsers, used)
  } catch (error) {
    // The holder may be the session that this very request has made before: admission will find it.
    const isRepeated = (await findByIdempotencyKey(store.db, teamId, idempotencyKey)) !== undefined
    if (isRepeated) return fromPool(browsers)
    throw error
  }
}

/** A warm browser of the pool. A profile is not restored into it, but may be saved from it. */
function fromPool(browsers: BrowserPool, profile?: OpenProfile): BrowserSource {
  return {
    profile,
    take: async () => withRetries(async () => browsers.take()),
    discard: async () => profile?.[Symbol.asyncDispose](),
  }
}

/** A browser that is launched with a profile, from now on. */
function fromProfile(browsers: BrowserPool, profile: OpenProfile): BrowserSource {
  const controller = new AbortController()
  const launching = withRetries(async () => launchWithProfile(browsers, profile, controller.signal))
  // Admission may fail first; then nobody takes the browser.
  launching.catch(() => undefined)
  return {
    profile,
    take: async () => launching,
    discard: async () => {
      controller.abort(new BowlineError('ABORTED', 'The session was not admitted'))
      const browser = await launching.catch(() => undefined)
      try {
        await browser?.kill()
      } finally {
        await profile[Symbol.asyncDispose]()
      }
    },
  }
}

async function withRetries(start: () => Promise<Browser>): Promise<Browser> {
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
