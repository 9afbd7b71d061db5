import { constants } from 'node:os'
import type { BowlineError } from '../kit/errors.ts'

/** Exit codes of the command line and their meanings, as printed in the help and the docs. */
export const exitCodes = {
  success: { code: 0, meaning: 'success' },
  failure: { code: 1, meaning: 'any other failure, such as a page that could not be scraped' },
  usage: { code: 2, meaning: 'invalid command line, or a request that the server rejected as invalid' },
  configuration: {
    code: 3,
    meaning: 'invalid configuration, such as no API key, or a machine unfit for a server',
  },
  authentication: { code: 4, meaning: 'unknown or revoked API key, or a key without the required permission' },
  notFound: { code: 5, meaning: 'not found, or no longer available' },
  limit: { code: 6, meaning: 'credits used up, or a rate or session limit reached' },
  network: { code: 7, meaning: 'server unreachable or temporarily unavailable' },
  timeout: { code: 8, meaning: 'time limit exceeded' },
} as const

type Outcome = keyof typeof exitCodes

const outcomesOfCodes: Readonly<Record<string, Outcome>> = {
  USAGE_INVALID: 'usage',
  IDEMPOTENCY_KEY_REUSED: 'usage',
  CONFIG_INVALID: 'configuration',
  DATA_DIR_IN_USE: 'configuration',
  DATA_DIR_UNUSABLE: 'configuration',
  LISTEN_FAILED: 'configuration',
  PROFILE_KEY_MISSING: 'configuration',
  STORE_FAILED: 'configuration',
  ISOLATION_MISSING: 'configuration',
  BROWSER_NOT_FOUND: 'configuration',
  DRIVER_MISSING: 'configuration',
  PACKAGE_MISSING: 'configuration',
  SERVER_MISSING: 'configuration',
  UNAUTHORIZED: 'authentication',
  FORBIDDEN: 'authentication',
  CONNECTION_FAILED: 'network',
  RESPONSE_INVALID: 'network',
  NODE_UNREACHABLE: 'network',
  STORE_UNAVAILABLE: 'network',
  DRAINING: 'network',
  TIMEOUT: 'timeout',
}

const outcomesOfStatuses: Readonly<Record<number, Outcome>> = {
  400: 'usage',
  401: 'authentication',
  402: 'limit',
  404: 'notFound',
  408: 'timeout',
  410: 'notFound',
  429: 'limit',
}

/** Returns the exit code for an error. */
export function exitCodeOf({ code, status }: Pick<BowlineError, 'code' | 'status'>): number {
  const ofCode = Object.hasOwn(outcomesOfCodes, code) ? outcomesOfCodes[code] : undefined
  return exitCodes[ofCode ?? outcomesOfStatuses[status] ?? 'failure'].code
}

/** Returns the exit code that shells use for a signal: 128 plus its number. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Formats the exit codes for the help text, one per line. */
export function describeExitCodes(): string {
  const lines = Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`)
  return ['Exit codes:', ...lines, '  128 and above: ended by a signal, such as 130 for Ctrl-C'].join('\n')
}
