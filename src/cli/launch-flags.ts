import type { Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'

/** Flags that decide how the browser of a session is started. */
export interface LaunchFlags {
  readonly browserArg?: readonly string[]
  readonly headful?: boolean
  readonly extension?: readonly string[]
}

/** Adds the flags `--browser-arg`, `--headful` and `--extension`. */
export function withLaunchFlags(command: Command): Command {
  return command
    .option(
      '--browser-arg <flag>',
      'flag of Chromium, such as --font-render-hinting=none; can be repeated',
      (flag: string, flags: string[] | undefined) => [...(flags ?? []), flag],
    )
    .option('--headful', 'run full Chromium with windows on a virtual display of the server')
    .option(
      '--extension <id>',
      'id of an uploaded browser extension to load (needs full Chromium and strict isolation); can be repeated',
      (id: string, ids: string[] | undefined) => [...(ids ?? []), id],
    )
}

/** The session options of the flags. */
export function launchOf({
  browserArg,
  headful,
  extension,
}: LaunchFlags): Pick<CreateSessionOptions, 'args' | 'headless' | 'extensions'> {
  return {
    ...(browserArg === undefined ? {} : { args: [...browserArg] }),
    ...(headful === true ? { headless: false } : {}),
    ...(extension === undefined ? {} : { extensions: [...extension] }),
  }
}
