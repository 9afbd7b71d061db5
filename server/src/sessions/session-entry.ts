import type { Browser } from '../browsers/launch.ts'
import type { HeldProfile } from '../profiles/held-profile.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { ProfileSaveOutcome, SessionEnd } from './bill.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionClock } from './session-clock.ts'
import type { EndRequest } from './session-deps.ts'

/** A live session of this node, and the state of its end. */
export interface Entry {
  readonly session: LiveSession
  readonly clock: SessionClock
  readonly controller: AbortController
  readonly profile: HeldProfile | undefined
  /** Whether the profile is saved only if the work of the session succeeded. */
  readonly savesOnSuccess: boolean
  /** Last change of the session. The next one waits for it. */
  updating: Promise<unknown> | undefined
  ending: Promise<SessionRow> | undefined
  /** How and when it ended. Set once, even if the bill is retried. */
  end: Omit<SessionEnd, 'profile'> | undefined
  /** Timer of the next attempt to store the bill. */
  billRetry: NodeJS.Timeout | undefined
  /** Stops the browser and saves its profile. Runs once, even if the bill is retried. */
  finishing: Promise<ProfileSaveOutcome | undefined> | undefined
}

/** Creates the entry of a session that has just started. */
export function createEntry(
  started: Pick<Entry, 'session' | 'clock' | 'controller' | 'profile' | 'savesOnSuccess'>,
): Entry {
  return {
    ...started,
    updating: undefined,
    ending: undefined,
    end: undefined,
    billRetry: undefined,
    finishing: undefined,
  }
}

/** Describes how and when a session ends. */
export function endOf(
  { session, clock }: Entry,
  { reason, error, isUnclaimed }: EndRequest,
): NonNullable<Entry['end']> {
  // Time during which the browser hung is not billed. Timers can fire a millisecond early, but an
  // expired TTL is billed in full.
  const usedMs = clock.ageMs() - (reason === 'crashed' ? session.browser.unresponsiveMs() : 0)
  const durationMs = reason === 'ttl' ? session.row.ttlSeconds * 1000 : usedMs
  const lastUseMs = Math.min(clock.lastUseMs(), durationMs)
  const status = isUnclaimed === true ? 'error' : 'destroyed'
  return { status, reason, durationMs, lastUseMs, ...(error === undefined ? {} : { error }) }
}

/** Whether the profile of an ending session is saved, if it has one that it may write. */
export function savesProfile(
  { savesOnSuccess }: Entry,
  { reason, hasFailed = false, isUnclaimed = false }: EndRequest,
): boolean {
  if (isUnclaimed) return false
  return !savesOnSuccess || (reason === 'deleted' && !hasFailed)
}

/** Describes why a browser exited on its own, if known. */
export function errorOf(browser: Browser): string | undefined {
  return browser.unresponsiveMs() === 0 ? undefined : 'The browser stopped responding and was killed'
}
