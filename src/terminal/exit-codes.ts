import type { BowlineError } from '../kit/errors.ts'

/** The meaning of each exit code, for the help text and the README. */
export const exitCodes = {
  success: { code: 0, meaning: 'success' },
  failure: { code: 1, meaning: 'any other failure, such as a page that could not be scraped' },
  usage: { code: 2, meaning: 'wrong command line, or a request that the server rejected as invalid' },
  configuration: { code: 3, meaning: 'wrong configuration, or a machine that lacks something the server needs' },
  authentication: { code: 4, meaning: 'missing, unknown or revoked API key, or one without the right' },
  notFound: { code: 5, meaning: 'not found, or no longer there' },
  limit: { code: 6, meaning: 'credits used up, or a limit of requests or sessions reached' },
  network: { code: 7, meaning: 'the server could not be reached, or is unavailable for the moment' },
  timeout: { code: 8, meaning: 'a time limit is over' },
} as const

type Outcome = keyof typeof exitCodes

const outcomesOfCodes: Readonly<Record<string, Outcome>> = {
  USAGE_INVALID: 'usage',
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

/** The exit code for an error. */
export function exitCodeOf({ code, status }: Pick<BowlineError, 'code' | 'status'>): number {
  const ofCode = Object.hasOwn(outcomesOfCodes, code) ? outcomesOfCodes[code] : undefined
  return exitCodes[ofCode ?? outcomesOfStatuses[status] ?? 'failure'].code
}

/** The exit codes, a line each. */
export function describeExitCodes(): string {
  const lines = Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`)
  return ['Exit codes:', ...lines, '  128 and more: ended by a signal, such as 130 for Ctrl-C'].join('\n')
}
