import type { SessionLaunch } from 'bowline/contract/session-launch'
import type { LaunchOptions } from '../browsers/launch.ts'

/** Returns how the browser of a session is launched. Undefined: a warm browser can be used. */
export function launchOptionsOf({ args = [] }: SessionLaunch): LaunchOptions | undefined {
  return args.length === 0 ? undefined : { extraArgs: args }
}
