import type { SessionEmulation } from 'bowline/contract/session-emulation'
import type { SessionLaunch } from 'bowline/contract/session-launch'
import type { LaunchExtension } from '../browsers/browser-extensions.ts'
import type { LaunchOptions } from '../browsers/launch.ts'

/** Returns how the browser of a session is launched. Undefined: a warm browser can be used. */
export function launchOptionsOf(
  { args = [], headless = true, viewport, locale, timezone, userAgent }: SessionLaunch & SessionEmulation,
  extensions: readonly LaunchExtension[] = [],
): LaunchOptions | undefined {
  const emulation = { viewport, locale, timezone, userAgent }
  const isPlain = Object.values(emulation).every((value) => value === undefined)
  if (args.length === 0 && extensions.length === 0 && headless && isPlain) return undefined
  return { extraArgs: args, extensions, isHeadful: !headless, emulation }
}
