import { BowlineError } from '../kit/errors.ts'

/** Milliseconds that a server usually has to respond after its own time limit. */
export const graceMs = 15_000

/** How long the client waits for the server, in the unit of the option. */
interface TimeoutDefaults {
  /** Timeout of the server if the option is not set. */
  readonly fallback: number
  /** Time that the server has to report its own timeout. Default: 15 seconds. */
  readonly grace?: number
  /** Default: milliseconds. */
  readonly unit?: 'milliseconds' | 'seconds'
}

/**
 * Returns how long the client waits for a request with the server option `timeout`. Throws
 * CONFIG_INVALID if it is not a number.
 */
export function requestTimeout(timeout: unknown, defaults: TimeoutDefaults): number {
  const { fallback, unit = 'milliseconds', grace = unit === 'seconds' ? graceMs / 1000 : graceMs } = defaults
  const value = timeout ?? fallback
  if (typeof value === 'number' && Number.isFinite(value)) return value + grace
  throw new BowlineError('CONFIG_INVALID', `\`timeout\` must be a number of ${unit}, got ${JSON.stringify(timeout)}`, {
    hint: `Pass ${unit}, such as \`timeout: ${fallback === 0 ? 30_000 : fallback}\`.`,
  })
}
