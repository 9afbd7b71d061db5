import { z } from 'zod'
import type { EndReason } from 'bowline/contract/browser'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { flushStorage } from '../browsers/flush-storage.ts'
import type { Browser } from '../browsers/launch.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { OpenProfile } from '../profiles/open-profile.ts'
import type { ProfileVersionRow } from '../store/profiles.ts'
import type { ProfileEnd } from './bill.ts'
import { browserCookie, readCookies, writeCookies } from './cookies.ts'

/** What is kept beside the files: the cookies that Chromium itself would drop. */
const extrasSchema = z.object({ cookies: z.array(browserCookie).default([]) })

/** Time for a browser to tell its cookies before it counts as hung. */
const cookiesTimeoutMs = 5000

/** The least time for that, however long it has been silent before. */
const leastCookiesMs = 500

/** Time for a browser that has just answered to write its storage to disk. */
const flushTimeoutMs = 60_000

/** Launches a browser with a profile restored, cookies of the session included. The caller closes it. */
export async function launchWithProfile(
  browsers: BrowserPool,
  profile: OpenProfile,
  signal?: AbortSignal,
): Promise<Browser> {
  let extras: string | undefined
  const prepare = async ({ userDataDir }: { readonly userDataDir: string }): Promise<void> => {
    extras = await profile.restore(userDataDir)
  }
  const browser = await browsers.launch({ prepare }, signal)
  try {
    if (extras !== undefined) await writeCookies(browser.router, extrasSchema.parse(JSON.parse(extras)).cookies)
    return browser
  } catch (error) {
    await browser.kill()
    throw error
  }
}

/** Stops a browser so that it writes everything, and saves its profile. The folder of the browser stays. */
export async function saveProfile(
  profile: OpenProfile,
  browser: Browser,
  sessionId: string | undefined,
): Promise<ProfileVersionRow> {
  // A client that has stopped reading must not keep the answer from coming.
  browser.router.resume()
  // Time for which it has owed another answer counts, too.
  const limitMs = Math.max(leastCookiesMs, cookiesTimeoutMs - browser.silentMs())
  const cookies = await abortable(readCookies(browser.router), AbortSignal.timeout(limitMs)).catch((cause: unknown) => {
    if (cause instanceof BowlineError) throw cause
    throw new BowlineError('CDP_FAILED', unsaved('The browser does not respond'), { cause })
  })
  await writeStorage(browser)
  const { code } = await browser.stop(flushTimeoutMs)
  if (code !== 0) throw new BowlineError('CDP_FAILED', unsaved('The browser ended before it had written everything'))
  return profile.save({
    userDataDir: browser.folder.userDataDir,
    extras: JSON.stringify({ cookies: cookies.filter(({ session }) => session) }),
    browser: browser.version,
    sessionId,
  })
}

/** What a browser refuses here, its close tries all the same; what it does not answer would be lost. */
async function writeStorage(browser: Browser): Promise<void> {
  const signal = AbortSignal.timeout(flushTimeoutMs)
  await abortable(flushStorage(browser, signal), signal).catch((cause: unknown) => {
    if (cause instanceof BowlineError) return
    throw new BowlineError('CDP_FAILED', unsaved('The browser did not write its storage in time'), { cause })
  })
}

/** Saves the profile of a session that ends, if it is to be saved, and gives the right to write it back. */
export async function saveAtEnd(
  profile: OpenProfile,
  browser: Browser,
  session: { readonly sessionId: string; readonly reason: EndReason },
): Promise<ProfileEnd | undefined> {
  // Disposed of whatever happens: a failed save must not keep the next writer out.
  await using opened = profile
  if (!opened.isWritable) return undefined
  // What a crash leaves behind may be half written.
  if (session.reason === 'crashed') return { error: unsaved('The browser crashed') }
  const { version } = await saveProfile(opened, browser, session.sessionId)
  return { version }
}

function unsaved(why: string): string {
  return `${why}: the profile stays as it was last saved`
}
