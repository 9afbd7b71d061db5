import type { Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'

/** Flags that decide how the browser of a session is started. */
export interface LaunchFlags {
  readonly browserArg?: readonly string[]
  readonly headful?: boolean
}

/** Adds the flags `--browser-arg` and `--headful`. */
export function withLaunchFlags(command: Command): Command {
  return command
    .option(
      '--browser-arg <flag>',
      'flag of Chromium, such as --font-render-hinting=none; can be repeated',
      (flag: string, flags: string[] | undefined) => [...(flags ?? []), flag],
    )
    .option('--headful', 'run full Chromium with windows on a virtual display of the server')
}

/** The session options of the flags. */
export function launchOf({ browserArg, headful }: LaunchFlags): Pick<CreateSessionOptions, 'args' | 'headless'> {
  return {
    ...(browserArg === undefined ? {} : { args: [...browserArg] }),
    ...(headful === true ? { headless: false } : {}),
  }
}
