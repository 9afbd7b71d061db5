import type { CreateSessionOptions } from '../contract/browser.ts'
import { BowlineError } from '../kit/errors.ts'
import { closest } from '../kit/closest.ts'

/** The names of all options of a type: the compiler refuses a list that lacks one. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options>, true>>

/** The options of a session. */
export const sessionNames: OptionNames<CreateSessionOptions> = {
  ttl: true,
  activityTtl: true,
  streamWebView: true,
  profile: true,
  onBrowserClose: true,
  keepFiles: true,
  record: true,
}

/** Refuses options that a function does not have, which would otherwise change nothing. Throws CONFIG_INVALID. */
export function checkOptions(name: string, options: object | undefined, names: Readonly<Record<string, true>>): void {
  for (const [option, value] of Object.entries(options ?? {})) {
    if (value === undefined || Object.hasOwn(names, option)) continue
    throw unknownOption(name, option, closest(option, Object.keys(names)))
  }
}

/** The error for an option that a function does not have. */
export function unknownOption(name: string, option: string, suggestion: string | undefined): BowlineError {
  return new BowlineError('CONFIG_INVALID', `${name} has no option \`${option}\``, {
    hint:
      suggestion === undefined
        ? 'Remove it, or pass it to the function whose option it is.'
        : `Did you mean \`${suggestion}\`?`,
  })
}
