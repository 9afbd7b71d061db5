import type { SessionEmulation } from 'bowline/contract/session-emulation'
import { languagesOf } from '../browsers/emulation-flags.ts'
import type { Browser } from '../browsers/launch.ts'
import { BrowserEmulation } from '../cdp/browser-emulation.ts'

/** The browser of a session, with the emulation that the session was created with. */
export interface SessionBrowser extends Browser {
  readonly emulation?: BrowserEmulation | undefined
}

/**
 * Applies the options that a running browser accepts, before a client can use it. Throws
 * CDP_FAILED.
 */
export async function emulateInBrowser(
  browser: Browser,
  { locale, userAgent, geolocation }: SessionEmulation,
): Promise<SessionBrowser> {
  if (locale === undefined && userAgent === undefined && geolocation === undefined) return browser
  const languages = locale === undefined ? undefined : languagesOf(locale)
  return { ...browser, emulation: await BrowserEmulation.start(browser, { languages, userAgent, geolocation }) }
}
