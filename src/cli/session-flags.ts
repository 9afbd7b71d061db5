import type { Command } from 'commander'
import { sessionLimits, type CreateSessionOptions } from '../contract/session-options.ts'
import { emulationOf, withEmulationFlags, type EmulationFlags } from './emulation-flags.ts'
import { launchOf, withLaunchFlags, type LaunchFlags } from './launch-flags.ts'
import { networkOf, withNetworkFlags, type NetworkFlags } from './network-flags.ts'
import { profileOf, withProfileFlags, type ProfileFlags } from './profile-flags.ts'
import { labelsOf, withLabelFlags, type LabelFlags } from './session-labels.ts'
import { numberFrom } from './whole-number.ts'

/** Flags of commands that create a session. */
export interface SessionFlags extends LabelFlags, NetworkFlags, LaunchFlags, EmulationFlags, ProfileFlags {
  readonly ttl?: number
  readonly activityTtl?: number
}

const { ttl, activityTtl } = sessionLimits

/** Adds the flags of a session. `defaults` is the end of the help of both lifetimes. */
export function withSessionFlags(
  command: Command,
  defaults: { readonly ttl?: string; readonly activityTtl?: string } = {},
): Command {
  const timed = command
    .option(
      '--ttl <seconds>',
      `maximum lifetime of the session${defaults.ttl ?? ''}`,
      numberFrom(ttl.min, ttl.max, 'seconds'),
    )
    .option(
      '--activity-ttl <seconds>',
      `maximum idle time of the session${defaults.activityTtl ?? ''}`,
      numberFrom(activityTtl.min, activityTtl.max, 'seconds'),
    )
  const labelled = withLabelFlags(timed, { name: 'name of the session', metadata: 'metadata of the session' })
  return withProfileFlags(withEmulationFlags(withLaunchFlags(withNetworkFlags(labelled))), 'at the end of the session')
}

/** Returns the session options of the flags, as the API takes them. */
export function sessionOptionsOf({ ttl, activityTtl, ...flags }: SessionFlags): CreateSessionOptions {
  return {
    ...labelsOf(flags),
    ...networkOf(flags),
    ...emulationOf(flags),
    ...launchOf(flags),
    ...(ttl === undefined ? {} : { ttl }),
    ...(activityTtl === undefined ? {} : { activityTtl }),
    ...profileOf(flags),
  }
}
