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

/** Names of the options of `new Bowline()`. */
export const bowlineNames = {
  baseUrl: true,
  apiKey: true,
  timeoutMs: true,
  retries: true,
  headers: true,
  fetch: true,
  sessionDir: true,
  leaseDir: true,
  reaper: true,
  handleSignals: true,
} as const

/**
 * Throws CONFIG_INVALID for option names that a function does not have, such as misspelled ones,
 * for options that are not an object, and for a `signal` that is not an AbortSignal.
 */
export function checkOptions(name: string, options: object | undefined, names: Readonly<Record<string, true>>): void {
  if (options === undefined) return
  checkIsObject(name, options)
  for (const [option, value] of Object.entries(options) as readonly (readonly [string, unknown])[]) {
    if (value === undefined) continue
    if (!Object.hasOwn(names, option)) {
      throw unknownOption(name, { path: option, suggestion: closest(option, Object.keys(names)), known: [] })
    }
    if (option === 'signal') checkSignal(name, value)
  }
}

/** Throws CONFIG_INVALID for options that are missing or not an object. */
export function checkIsObject(name: string, options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  const given = options === undefined || options === null ? String(options) : `a ${typeof options}`
  throw new BowlineError('CONFIG_INVALID', `${name} needs an object as its options, got ${given}`, {
    hint: 'Pass `{}` for the defaults.',
  })
}

function checkSignal(name: string, signal: unknown): void {
  // Not `instanceof`, which fails for a signal of another realm.
  const { aborted, throwIfAborted } = Object(signal) as Record<string, unknown>
  if (typeof aborted === 'boolean' && typeof throwIfAborted === 'function') return
  throw new BowlineError('CONFIG_INVALID', `\`signal\` of ${name} is not an AbortSignal`, {
    hint: 'Pass `AbortSignal.timeout(ms)`, or the `signal` of an AbortController.',
  })
}

/** Throws CONFIG_INVALID unless `work` is a function. */
export function checkWork(name: string, work: unknown): void {
  if (typeof work === 'function') return
  throw new BowlineError('CONFIG_INVALID', `${name} needs a function as its second argument`, {
    hint: `Pass the function that does the work: \`${name.replace('()', '(…, async ({ page }) => …)')}\`.`,
  })
}

/** Throws CONFIG_INVALID for an object that is not a driver, such as a browser library. */
export function checkDriver(name: string, driver: unknown): void {
  if (driver === undefined) return
  const { name: driverName, connect } = Object(driver) as Record<string, unknown>
  if (typeof driverName === 'string' && typeof connect === 'function') return
  throw new BowlineError('CONFIG_INVALID', `\`driver\` of ${name} is not a driver`, {
    hint: "Pass `playwright` of 'bowline/playwright', `puppeteer` of 'bowline/puppeteer', or a driver of your own.",
  })
}

// A longer list says less than the reference.
const maxListed = 12

/** Creates the CONFIG_INVALID error for an unknown option. Its hint names the known ones. */
export function unknownOption(name: string, key: UnknownKey, hint = hintOf(key)): BowlineError {
  return new BowlineError('CONFIG_INVALID', `${name} has no option \`${key.path}\``, { hint })
}

function hintOf({ path, suggestion, known }: UnknownKey): string {
  if (suggestion !== undefined) return `Did you mean \`${suggestion}\`?`
  if (Object.hasOwn(bowlineNames, path)) return `Pass it to \`new Bowline()\`.`
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  if (parent === '' || known.length > maxListed) return 'Remove it, or pass it to the function it belongs to.'
  return `\`${parent}\` has ${known.map((each) => `\`${each}\``).join(', ')}.`
}
