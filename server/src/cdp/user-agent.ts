import type { CdpParams } from './protocol.ts'

/** Parameters of `Emulation.setUserAgentOverride`. */
export interface UserAgentOverride {
  readonly userAgent: string
  /** `navigator.platform`. */
  readonly platform: string
  /**
   * `navigator.userAgentData` and the client hints. Undefined for browsers without them, such as
   * Firefox.
   */
  readonly userAgentMetadata?: CdpParams<'Emulation.setUserAgentOverride'>['userAgentMetadata']
}

/**
 * Returns platform and client hints that match a user agent, so that headers and `navigator` agree.
 */
export function userAgentOverride(userAgent: string, isMobile: boolean): UserAgentOverride {
  const system = systems.find(([part]) => part.test(userAgent))?.[1] ?? (isMobile ? phone : desktop)
  const version = /\bChrom(?:e|ium)\/(\d+(?:\.\d+)*)/.exec(userAgent)?.[1]
  const { platform } = system
  // On iOS, every browser is Safari under another name.
  if (version === undefined || system.hints === undefined) return { userAgent, platform }
  const edge = /\bEdg\/(\d+(?:\.\d+)*)/.exec(userAgent)?.[1]
  const named = edge === undefined ? ['Google Chrome', version] : ['Microsoft Edge', edge]
  const brands = [
    ['Chromium', version],
    [named[0] ?? '', named[1] ?? ''],
    ['Not.A/Brand', '24.0.0.0'],
  ] as const
  const mobile = /\bMobile\b/.test(userAgent)
  return {
    userAgent,
    platform,
    userAgentMetadata: {
      brands: brands.map(([brand, full]) => ({ brand, version: full.split('.')[0] ?? '' })),
      fullVersionList: brands.map(([brand, full]) => ({ brand, version: full })),
      platform: system.hints,
      platformVersion: '',
      architecture: mobile ? '' : 'x86',
      bitness: mobile ? '' : '64',
      model: '',
      mobile,
      wow64: false,
    },
  }
}

interface System {
  readonly platform: string
  /** As client hints name it. Undefined: its browsers send none. */
  readonly hints: string | undefined
}

const phone: System = { platform: 'Linux armv8l', hints: 'Android' }
const desktop: System = { platform: 'Linux x86_64', hints: 'Linux' }

const systems: readonly (readonly [RegExp, System])[] = [
  [/\biPhone\b/, { platform: 'iPhone', hints: undefined }],
  [/\biPad\b/, { platform: 'iPad', hints: undefined }],
  [/\bAndroid\b/, phone],
  [/\bWindows\b/, { platform: 'Win32', hints: 'Windows' }],
  [/\bMacintosh\b/, { platform: 'MacIntel', hints: 'macOS' }],
  [/\bCrOS\b/, { platform: 'Linux x86_64', hints: 'Chrome OS' }],
  [/\bLinux\b/, desktop],
]
