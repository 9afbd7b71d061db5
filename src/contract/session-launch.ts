import { z } from 'zod'
import { boundedArray } from './bounded.ts'

/** Maximum number of `args` of a session. */
export const maxArgs = 20

/** A flag that sessions may pass to Chromium. */
interface BrowserFlag {
  /** Values after `=`. Absent: the flag has no value. */
  readonly values?: readonly string[]
  /** Why sessions may set it. */
  readonly reason: string
}

/**
 * Flags that a session may pass to its browser: they change how pages look, sound and play. Flags
 * that could weaken the isolation, the command policy or the egress policy are not here, nor flags
 * that take names of features, hosts or files.
 */
export const browserFlags: Readonly<Record<string, BrowserFlag>> = {
  '--autoplay-policy': {
    values: ['no-user-gesture-required', 'user-gesture-required', 'document-user-activation-required'],
    reason: 'whether media play without a click',
  },
  '--disable-font-subpixel-positioning': { reason: 'glyphs at whole pixels, for screenshots that are compared' },
  '--disable-gpu': { reason: 'software rendering, which needs fewer rights than a GPU' },
  '--disable-lcd-text': { reason: 'grey text edges, for screenshots that are compared' },
  '--disable-smooth-scrolling': { reason: 'scrolling without animation' },
  '--font-render-hinting': {
    values: ['none', 'slight', 'medium', 'full', 'max'],
    reason: 'the same widths of text on every machine',
  },
  '--force-color-profile': {
    values: ['srgb', 'display-p3-d65', 'rec2020', 'color-spin-gamma24', 'scrgb-linear', 'hdr10'],
    reason: 'the colors of screenshots; srgb by default',
  },
  '--force-dark-mode': { reason: 'dark colors of full Chromium' },
  '--force-prefers-reduced-motion': { reason: 'pages that support it do not animate' },
  '--hide-scrollbars': { reason: 'set for every session; accepted because clients pass it' },
  '--mute-audio': { reason: 'set for every session; accepted because clients pass it' },
  '--use-fake-device-for-media-stream': { reason: 'a test picture and tone instead of a camera and a microphone' },
}

const arg = z
  .string()
  .max(200)
  .refine((text) => problemOf(text) === undefined, { error: ({ input }) => problemOf(String(input)) })

/** Describes why a flag is not allowed. Undefined: it is. */
function problemOf(text: string): string | undefined {
  const [name = '', ...rest] = text.split('=')
  const flag = Object.hasOwn(browserFlags, name) ? browserFlags[name] : undefined
  if (flag === undefined) {
    return `${JSON.stringify(text)} is not a flag that sessions may set. Allowed are ${Object.keys(browserFlags).join(', ')}`
  }
  if (flag.values === undefined) return rest.length === 0 ? undefined : `\`${name}\` has no value`
  return flag.values.includes(rest.join('=')) ? undefined : `\`${name}\` must be one of ${flag.values.join(', ')}`
}

/** Flags of Chromium, such as `--font-render-hinting=none`. At most 20, of `browserFlags` only. */
export const browserArgs = boundedArray(arg, maxArgs)

/** Options of a session that decide how its browser is started. */
export interface SessionLaunch {
  readonly args?: readonly string[] | undefined
  readonly headless?: boolean | undefined
  readonly extensions?: readonly string[] | undefined
}
