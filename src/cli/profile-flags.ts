import { Option, type Command } from 'commander'
import type { CreateSessionOptions } from '../contract/session-options.ts'
import { BowlineError } from '../kit/errors.ts'

/** Flags of commands that can use a profile. */
export interface ProfileFlags {
  readonly profile?: string
  readonly saveProfile?: keyof typeof profileSaves
}

/** Values of `--save-profile`, and of `saveChanges` in the API. */
const profileSaves = { always: true, 'on-success': 'on-success', never: false } as const

/** Adds the flags of a profile. `when` is the end of the help of `--save-profile`. */
export function withProfileFlags(command: Command, when: string): Command {
  return command
    .option('--profile <name>', 'browser profile to load and save')
    .addOption(
      new Option('--save-profile <when>', `when to save the profile ${when}`).choices(Object.keys(profileSaves)),
    )
}

/** Returns the profile of the flags, as the API takes it. Throws USAGE_INVALID without a name. */
export function profileOf({ profile: name, saveProfile }: ProfileFlags): Pick<CreateSessionOptions, 'profile'> {
  if (name !== undefined) {
    return { profile: { name, ...(saveProfile !== undefined && { saveChanges: profileSaves[saveProfile] }) } }
  }
  if (saveProfile === undefined) return {}
  throw new BowlineError('USAGE_INVALID', '`--save-profile` needs a profile', { hint: 'Name one with `--profile`.' })
}
