import type { Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'

/** Flags that decide how the browser of a session is started. */
export interface LaunchFlags {
  readonly browserArg?: readonly string[]
}

/** Adds the flag `--browser-arg`. */
export function withLaunchFlags(command: Command): Command {
  return command.option(
    '--browser-arg <flag>',
    'flag of Chromium, such as --font-render-hinting=none; can be repeated',
    (flag: string, flags: string[] | undefined) => [...(flags ?? []), flag],
  )
}

/** The session options of the flags. */
export function launchOf({ browserArg }: LaunchFlags): Pick<CreateSessionOptions, 'args'> {
  return browserArg === undefined ? {} : { args: [...browserArg] }
}
