import { callerHeader } from '../../kit/forward-headers.ts'
import { userAgentOf } from '../fetch/browser-headers.ts'
import type { PageLocale } from '../fetch/page-locale.ts'
import { closeDialogs } from './close-dialogs.ts'
import { adHosts } from './ad-rules.ts'
import type { AdLists } from './ad-lists.ts'
import { interceptRequests, type Interception } from './intercept-requests.ts'
import type { Tab } from './tab.ts'
import { userAgentOverride } from '../../cdp/user-agent.ts'
import type { MayFollow } from '../../kit/may-follow.ts'

/** Options of `emulate`: the device, the locale and the requests of a page. */
export interface EmulationOptions {
  readonly chromeMajor: string
  readonly isMobile: boolean
  readonly pageLocale: PageLocale
  readonly skipTlsVerification: boolean
  readonly blockAds: boolean
  /** Block lists in addition to the built-in one. */
  readonly adLists: AdLists | undefined
  /** Headers of the caller. Sent only to the origin of the page. */
  readonly headers: Readonly<Record<string, string>>
  readonly url: string
  /** Whether the page may lead to another URL. Default: to all. */
  readonly mayFollow?: MayFollow | undefined
}

/** Viewport sizes in CSS pixels. */
export const viewports = {
  desktop: { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false },
  mobile: { width: 390, height: 844, deviceScaleFactor: 2, mobile: true },
} as const

/** Sets up device and locale emulation, ad blocking and extra headers for a tab. */
export async function emulate(tab: Tab, options: EmulationOptions): Promise<Interception> {
  const { isMobile, pageLocale } = options
  await Promise.all([
    tab.call('Page.enable'),
    tab.call('Network.enable'),
    tab.call('DOM.enable'),
    tab.call('Inspector.enable'),
    tab.call('Emulation.setDeviceMetricsOverride', isMobile ? viewports.mobile : viewports.desktop),
    tab.call('Emulation.setFocusEmulationEnabled', { enabled: true }),
    tab.call('Emulation.setUserAgentOverride', {
      ...userAgentOverride(callerHeader(options.headers, 'user-agent') ?? userAgentOf(options), isMobile),
      acceptLanguage: pageLocale.languages.join(','),
    }),
    tab.call('Emulation.setLocaleOverride', { locale: (pageLocale.languages[0] ?? 'en-US').replace('_', '-') }),
    ...(pageLocale.timezone === undefined
      ? []
      : [tab.call('Emulation.setTimezoneOverride', { timezoneId: pageLocale.timezone })]),
    ...(isMobile ? [tab.call('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })] : []),
    ...(options.skipTlsVerification ? [tab.call('Security.setIgnoreCertificateErrors', { ignore: true })] : []),
    ...(options.blockAds
      ? [
          tab.call('Network.setBlockedURLs', {
            urls: adHosts.flatMap((host) => [`*://*${host}/*`, `*://*${host}:*/*`]),
          }),
        ]
      : []),
  ])
  closeDialogs(tab)
  return interceptRequests(tab, { ...options, adLists: options.blockAds ? options.adLists : undefined })
}
