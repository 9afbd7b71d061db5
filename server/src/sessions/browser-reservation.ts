import type { SessionEmulation } from 'bowline/contract/session-emulation'
import type { SessionNetwork } from 'bowline/contract/session-network'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { loadExtensions } from '../browsers/browser-extensions.ts'
import type { Browser } from '../browsers/launch.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Extensions } from '../extensions/extensions.ts'
import { inSpan } from '../kit/current-work.ts'
import type { HeldProfile } from '../profiles/held-profile.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { findByIdempotencyKey } from './session-queries.ts'
import type { Store } from '../store/store.ts'
import type { NewSession } from './admit-session.ts'
import { launchOptionsOf } from './launch-options.ts'
import { launchWithProfile } from './profile-browser.ts'
import { restrictBrowser } from './restrict-browser.ts'
import { emulateInBrowser, type SessionBrowser } from './session-browser.ts'

/** A browser reserved for a session: a warm one of the pool, or one launched for it. */
export interface BrowserReservation {
  readonly profile: HeldProfile | undefined
  /**
   * Returns the browser. Throws BROWSER_START_FAILED after three attempts, and PROFILE_UNREADABLE
   * at once.
   */
  readonly take: () => Promise<SessionBrowser>
  /** Releases the browser and the profile of a session that does not start. */
  readonly discard: () => Promise<void>
}

const startAttempts = 3

/** Dependencies of `reserveBrowser`. */
export interface BrowserReservationDeps {
  readonly browsers: BrowserPool
  readonly profiles: Profiles
  readonly extensions: Extensions
  readonly store: Store
}

/**
 * Reserves a session's browser. With a profile or options of its launch, the browser is launched
 * immediately, in parallel with the admission.
 */
export async function reserveBrowser(
  deps: BrowserReservationDeps,
  id: string,
  newSession: NewSession,
): Promise<BrowserReservation> {
  const reservation = await reserveUnrestricted(deps, id, newSession)
  return { ...reservation, take: async () => takePrepared(reservation, newSession) }
}

async function takePrepared(
  reservation: BrowserReservation,
  { request, teamId }: Pick<NewSession, 'request' | 'teamId'>,
): Promise<SessionBrowser> {
  const browser = await reservation.take()
  browser.proxy?.setLookupOwner?.(teamId)
  try {
    return await inSpan('browser.prepare', async () => prepare(browser, request))
  } catch (error) {
    await browser.kill()
    throw error
  }
}

async function prepare(browser: Browser, request: SessionNetwork & SessionEmulation): Promise<SessionBrowser> {
  await restrictBrowser(browser, request)
  const emulated = await emulateInBrowser(browser, request)
  await loadExtensions(emulated)
  return emulated
}

async function reserveUnrestricted(
  deps: BrowserReservationDeps,
  id: string,
  newSession: NewSession,
): Promise<BrowserReservation> {
  try {
    return await acquireAndLaunch(deps, id, newSession)
  } catch (error) {
    // The profile may be locked by the session that this request created before, or an extension
    // may have been deleted since then. Admission finds the session.
    const { teamId, idempotencyKey } = newSession
    const isRepeated = (await findByIdempotencyKey(deps.store.db, teamId, idempotencyKey)) !== undefined
    if (isRepeated) return fromPool(deps.browsers)
    throw error
  }
}

async function acquireAndLaunch(
  { browsers, profiles, extensions }: BrowserReservationDeps,
  id: string,
  { teamId, request, use = {} }: NewSession,
): Promise<BrowserReservation> {
  const options = launchOptionsOf(request, await extensions.prepare(teamId, request.extensions ?? []))
  const fresh = (profile?: HeldProfile): BrowserReservation =>
    options === undefined
      ? fromPool(browsers, profile)
      : fromLaunch(async (signal) => browsers.launch(options, signal), profile)
  if (request.profile === undefined) return fresh()
  const { name, saveChanges } = request.profile
  const profile = await profiles.acquire({ teamId, name, isWritable: saveChanges !== false, sessionId: id })
  const used = use.wrapProfile?.(profile) ?? profile
  if (use.startsEmpty === true) return fresh(used)
  return fromLaunch(async (signal) => launchWithProfile(browsers, used, options, signal), used)
}

/** A warm browser of the pool. The profile is not restored, but can be saved. */
function fromPool(browsers: BrowserPool, profile?: HeldProfile): BrowserReservation {
  return {
    profile,
    take: async () => inSpan('browser.start', async () => withRetries(async () => browsers.take())),
    discard: async () => profile?.[Symbol.asyncDispose](),
  }
}

/** A browser that is launched for this session, starting now. */
function fromLaunch(launch: (signal: AbortSignal) => Promise<Browser>, profile?: HeldProfile): BrowserReservation {
  const controller = new AbortController()
  const launching = inSpan('browser.start', async () => withRetries(async () => launch(controller.signal)))
  // If admission fails first, the browser is not used.
  launching.catch(() => undefined)
  return {
    profile,
    take: async () => launching,
    discard: async () => {
      controller.abort(new BowlineError('ABORTED', 'The session was not admitted'))
      // A browser that failed to launch does not need to be killed.
      const browser = await launching.catch(() => undefined)
      try {
        await browser?.kill()
      } finally {
        await profile?.[Symbol.asyncDispose]()
      }
    },
  }
}

async function withRetries(start: () => Promise<Browser>): Promise<Browser> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start()
    } catch (cause) {
      // Errors with another cause would occur again.
      if (cause instanceof BowlineError && !['BROWSER_START_FAILED', 'CDP_FAILED'].includes(cause.code)) throw cause
      if (attempt < startAttempts) continue
      const message = messageOf(cause)
      throw new BowlineError(
        'BROWSER_START_FAILED',
        `The browser failed to start after ${attempt} attempts: ${message}`,
        {
          cause,
        },
      )
    }
  }
}
