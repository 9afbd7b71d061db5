/**
 * Launches browsers with a profile, and saves it afterwards.
 *
 * To restore: the files of the archive are unpacked into the empty user-data-dir before the browser
 * starts. Session cookies, which Chromium would drop, are set by CDP after the start. To save:
 * session cookies are read, storage is flushed, the browser is stopped, and its files are packed.
 *
 * @module
 */
import { z } from 'zod'
import type { EndReason } from 'bowline/contract/browser'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { flushStorage } from '../browsers/flush-storage.ts'
import { isDiskFull } from '../kit/disk-full.ts'
import type { Browser, LaunchOptions } from '../browsers/launch.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { HeldProfile } from '../profiles/held-profile.ts'
import type { ProfileVersionRow } from '../profiles/profile-queries.ts'
import type { ProfileSaveOutcome } from './bill.ts'
import { browserCookie, readCookies, writeCookies } from './cookies.ts'
import { unsaved } from './unsaved-profile.ts'

/**
 * Data of a profile in addition to its files: session cookies, which Chromium drops when it exits.
 */
const sessionCookies = z.object({ cookies: z.array(browserCookie).default([]) })

/** Time for a browser to return its cookies before it counts as hung. */
const cookiesTimeoutMs = 5000

/** Minimum of that time for a browser that has not responded before. */
const minCookiesTimeoutMs = 500

/** Time for a responsive browser to write its storage to disk. */
const flushTimeoutMs = 60_000

/** Launches a browser with a profile restored, including session cookies. The caller closes it. */
export async function launchWithProfile(
  browsers: BrowserPool,
  profile: HeldProfile,
  options: LaunchOptions = {},
  signal?: AbortSignal,
): Promise<Browser> {
  let sessionCookiesJson: string | undefined
  const fillUserDataDir = async ({ userDataDir }: { readonly userDataDir: string }): Promise<void> => {
    sessionCookiesJson = await profile.restore(userDataDir)
  }
  const browser = await browsers.launch({ ...options, fillUserDataDir }, signal)
  try {
    if (sessionCookiesJson !== undefined)
      await writeCookies(browser.router, sessionCookies.parse(JSON.parse(sessionCookiesJson)).cookies)
    return browser
  } catch (error) {
    await browser.kill()
    throw error
  }
}

/**
 * Stops a browser after it has written its storage to disk, and saves its profile. The browser's
 * folder stays.
 */
export async function saveProfile(
  profile: HeldProfile,
  browser: Browser,
  sessionId: string | undefined,
): Promise<ProfileVersionRow> {
  const loaded = profile.loadedVersion ?? 0
  // A client that has stopped reading must not block the response.
  browser.router.resume()
  // Includes the time for which the browser has not responded before.
  const limitMs = Math.max(minCookiesTimeoutMs, cookiesTimeoutMs - browser.unresponsiveMs())
  const cookies = await abortable(readCookies(browser.router), AbortSignal.timeout(limitMs)).catch((cause: unknown) => {
    if (cause instanceof BowlineError) throw cause
    throw new BowlineError('CDP_FAILED', unsaved('The browser does not respond', loaded), { cause })
  })
  await writeStorage(browser, loaded)
  const { code } = await browser.stop(flushTimeoutMs)
  if (code !== 0)
    throw new BowlineError('CDP_FAILED', unsaved('The browser exited before all data was written', loaded))
  // Chromium does not report what it could not write.
  if (await isDiskFull(browser.folder.userDataDir))
    throw new BowlineError('STORE_UNAVAILABLE', 'The disk of the server is full. The changes are lost')
  return profile.save({
    userDataDir: browser.folder.userDataDir,
    sessionCookiesJson: JSON.stringify({ cookies: cookies.filter(({ session }) => session) }),
    browser: browser.version,
    sessionId,
  })
}

/**
 * Flushes the browser's storage. Ignores errors of the browser, since its exit flushes most data as
 * well, but not a timeout, after which data would be lost.
 */
async function writeStorage(browser: Browser, loaded: number): Promise<void> {
  const signal = AbortSignal.timeout(flushTimeoutMs)
  await abortable(flushStorage(browser, signal), signal).catch((cause: unknown) => {
    if (cause instanceof BowlineError) return
    throw new BowlineError('CDP_FAILED', unsaved('The browser did not write its storage in time', loaded), { cause })
  })
}

/** Saves the profile of an ending session if it is writable, and releases its lease. */
export async function saveAtEnd(
  profile: HeldProfile,
  browser: Browser,
  session: { readonly sessionId: string; readonly reason: EndReason },
): Promise<ProfileSaveOutcome | undefined> {
  // A failed save must still release the lease.
  await using opened = profile
  if (!opened.isWritable) return undefined
  // A crash may leave incomplete files behind.
  if (session.reason === 'crashed') return { error: unsaved('The browser crashed', opened.loadedVersion ?? 0) }
  const { version } = await saveProfile(opened, browser, session.sessionId)
  return { version }
}
