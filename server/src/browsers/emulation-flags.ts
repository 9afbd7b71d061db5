import type { Viewport } from 'bowline/contract/session-emulation'
import type { BrowserBinary } from './find.ts'

/** Options that decide how a browser presents itself to sites. */
export interface LaunchEmulation {
  readonly viewport?: Viewport | undefined
  /** Language tag, such as `de-DE`. */
  readonly locale?: string | undefined
  /** IANA time zone. */
  readonly timezone?: string | undefined
  readonly userAgent?: string | undefined
}

/**
 * Height of the tabs and the toolbar of full Chromium in CSS pixels. The window includes them,
 * although nothing draws them.
 */
const toolbarHeight = 87

/**
 * Arguments for the emulation. They reach every page, frame and worker, unlike emulation by CDP,
 * which also ends when a client takes a screenshot or resets its own.
 */
export function emulationArgs(
  { viewport, locale, userAgent }: LaunchEmulation = {},
  kind: BrowserBinary['kind'],
): readonly string[] {
  return [
    ...(viewport === undefined ? [] : viewportArgs(viewport, kind)),
    ...(locale === undefined ? [] : [`--accept-lang=${languagesOf(locale).join(',')}`]),
    ...(userAgent === undefined ? [] : [`--user-agent=${userAgent}`]),
  ]
}

/** Environment variables for the emulation. */
export function emulationEnvironment({ timezone }: LaunchEmulation = {}): Readonly<Record<string, string>> {
  // The browser reads the name in its canonical spelling only.
  return timezone === undefined
    ? {}
    : { TZ: new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone }
}

/** Languages that a browser prefers in a locale: `de-DE` and `de`. */
export function languagesOf(locale: string): readonly string[] {
  return [...new Set([locale, new Intl.Locale(locale).language])]
}

/** The size of the window whose page has the given size. */
export function windowOf(
  { width, height }: Pick<Viewport, 'width' | 'height'>,
  kind: BrowserBinary['kind'],
): Pick<Viewport, 'width' | 'height'> {
  return { width, height: kind === 'chromium' ? height + toolbarHeight : height }
}

function viewportArgs({ width, height, deviceScaleFactor }: Viewport, kind: BrowserBinary['kind']): readonly string[] {
  const window = windowOf({ width, height }, kind)
  const [screenWidth, screenHeight] = [window.width, window.height].map((size) => Math.round(size * deviceScaleFactor))
  return [
    `--window-size=${window.width},${window.height}`,
    // In device pixels.
    `--screen-info={${screenWidth}x${screenHeight} devicePixelRatio=${deviceScaleFactor}}`,
    // An infobar about other arguments would reduce the height of the first window.
    '--disable-infobars',
  ]
}
