import { parseOriginPattern, type SessionEmulation, type SessionExtraHeaders } from 'bowline/contract/session-emulation'
import { matchesDomain, parseDomainPattern } from 'bowline/kit/domain-pattern'
import { languagesOf } from '../browsers/emulation-flags.ts'
import type { Browser } from '../browsers/launch.ts'
import { BrowserEmulation } from '../cdp/browser-emulation.ts'
import { addExtraHeaders, type HeaderRule } from '../cdp/extra-headers.ts'

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
  { locale, userAgent, geolocation, extraHeaders }: SessionEmulation,
): Promise<SessionBrowser> {
  if (extraHeaders !== undefined) await addExtraHeaders(browser.router, headerRulesOf(extraHeaders))
  if (locale === undefined && userAgent === undefined && geolocation === undefined) return browser
  const languages = locale === undefined ? undefined : languagesOf(locale)
  return { ...browser, emulation: await BrowserEmulation.start(browser, { languages, userAgent, geolocation }) }
}

function headerRulesOf(extraHeaders: SessionExtraHeaders): readonly HeaderRule[] {
  return Object.entries(extraHeaders).map(([origin, headers]) => {
    const { protocol, domain = '' } = parseOriginPattern(origin) ?? {}
    const pattern = parseDomainPattern(domain)
    const matches = (text: string): boolean => {
      const url = URL.parse(text)
      if (url === null || url.protocol !== protocol || pattern === undefined) return false
      const port = Number(url.port) || (protocol === 'https:' ? 443 : 80)
      return matchesDomain(pattern, { host: url.hostname, port })
    }
    return { matches, headers }
  })
}
