import type { CreateSessionOptions } from '../contract/session-options.ts'
import type { UnknownKey } from '../contract/unknown-keys.ts'
import { BowlineError } from '../kit/errors.ts'
import { closest } from '../kit/closest.ts'

/** All option names of a type. The compiler rejects a list that lacks one. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options>, true>>

/** Names of the session options. */
export const sessionNames: OptionNames<CreateSessionOptions> = {
  ttl: true,
  activityTtl: true,
  name: true,
  metadata: true,
  webhook: true,
  streamWebView: true,
  profile: true,
  onBrowserClose: true,
  keepFiles: true,
  record: true,
  allowedDomains: true,
  blockedDomains: true,
  proxy: true,
  args: true,
  viewport: true,
  timezone: true,
  headless: true,
  extensions: true,
  locale: true,
  userAgent: true,
  geolocation: true,
  extraHeaders: true,
  wait: true,
}

/**
 * Throws CONFIG_INVALID for option names that a function does not have, such as misspelled ones.
 */
export function checkOptions(name: string, options: object | undefined, names: Readonly<Record<string, true>>): void {
  for (const [option, value] of Object.entries(options ?? {})) {
    if (value === undefined || Object.hasOwn(names, option)) continue
    throw unknownOption(name, { path: option, suggestion: closest(option, Object.keys(names)), known: [] })
  }
}

// A longer list says less than the reference.
const maxListed = 12

/** Creates the CONFIG_INVALID error for an unknown option. Its hint names the known ones. */
export function unknownOption(name: string, key: UnknownKey, hint = hintOf(key)): BowlineError {
  return new BowlineError('CONFIG_INVALID', `${name} has no option \`${key.path}\``, { hint })
}

function hintOf({ path, suggestion, known }: UnknownKey): string {
  if (suggestion !== undefined) return `Did you mean \`${suggestion}\`?`
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  if (parent === '' || known.length > maxListed) return 'Remove it, or pass it to the function it belongs to.'
  return `\`${parent}\` has ${known.map((each) => `\`${each}\``).join(', ')}.`
}
