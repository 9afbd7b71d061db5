import { bowlineNames, checkOptions, type OptionNames } from './check-options.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BowlineError } from '../kit/errors.ts'

/**
 * Options of `new Bowline()`.
 *
 * @example
 * ```ts
 * import { Bowline, type BowlineOptions } from 'bowline'
 *
 * const options: BowlineOptions = {
 *   baseUrl: process.env['BOWLINE_BASE_URL'] ?? 'http://127.0.0.1:3900',
 *   timeoutMs: 30_000,
 *   retries: 5,
 *   headers: { 'x-tenant': 'docs' },
 * }
 * const bowline = new Bowline(options)
 * console.log(bowline.baseUrl)
 * ```
 */
export interface BowlineOptions {
  /**
   * Base URL of the service without `/v2`, such as `http://127.0.0.1:3900`.
   * Default: `BOWLINE_BASE_URL`.
   */
  readonly baseUrl?: string | undefined
  /**
   * API key. Default: `BOWLINE_API_KEY`. It is sent as a header and never appears in a URL, error
   * or log.
   */
  readonly apiKey?: string | undefined
  /** Time limit of one attempt of a request, in milliseconds. Default: 60000. */
  readonly timeoutMs?: number | undefined
  /** Retries of a failed request if repeating it is safe. Default: 3. */
  readonly retries?: number | undefined
  /** Headers added to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the global `fetch`. The reaper, a separate process, does not use it. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Directory of the session markers: one file per live session, from which `sessions.reap()` finds
   * the sessions of killed processes. Default: `~/.bowline/leases`.
   */
  readonly sessionDir?: string | undefined
  /**
   * Former name of `sessionDir`.
   *
   * @deprecated Use `sessionDir`.
   */
  readonly leaseDir?: string | undefined
  /**
   * Start a small helper process that deletes the sessions of this process if it is killed.
   * Default: true.
   */
  readonly reaper?: boolean | undefined
  /** End the sessions of this process on SIGINT, SIGTERM and SIGHUP. Default: true. */
  readonly handleSignals?: boolean | undefined
}

/** Client options with all defaults filled in. */
export interface ClientConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly retries: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly sessionDir: string
  readonly reaper: boolean
  readonly handleSignals: boolean
}

/**
 * Variables of a process. Not `NodeJS.ProcessEnv`: programs without `@types/node` compile this
 * declaration.
 */
type Variables = Readonly<Record<string, string | undefined>>

/** Environment variables of the client and the CLI. */
export interface ClientEnvironment {
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly dataDir: string | undefined
}

/**
 * Reads `BOWLINE_BASE_URL`, `BOWLINE_API_KEY` and `BOWLINE_DATA_DIR`. Blank variables count as
 * unset.
 */
export function readEnvironment(environment: Variables = process.env): ClientEnvironment {
  return {
    baseUrl: unlessBlank(environment['BOWLINE_BASE_URL']),
    apiKey: unlessBlank(environment['BOWLINE_API_KEY']),
    dataDir: unlessBlank(environment['BOWLINE_DATA_DIR']),
  }
}

function unlessBlank(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined
}

/** Environment of this process with additional variables, for a child process. */
export function environmentWith(added: Variables): Variables {
  return {
    ...process.env,
    ...added,
  }
}

/** Default directory of the session markers. */
export function defaultSessionDir(): string {
  return join(homedir(), '.bowline', 'leases')
}

/** Merges options, environment and defaults. Throws CONFIG_INVALID. */
export function resolveConfig(options: BowlineOptions, environment = readEnvironment()): ClientConfig {
  checkOptions('Bowline', options, bowlineNames satisfies OptionNames<BowlineOptions>)
  return {
    baseUrl: checkBaseUrl(options.baseUrl ?? environment.baseUrl),
    apiKey: checkApiKey(options.apiKey ?? environment.apiKey),
    timeoutMs: checkNumber('timeoutMs', options.timeoutMs ?? 60_000, 1),
    retries: checkNumber('retries', options.retries ?? 3, 0),
    headers: options.headers ?? {},
    fetch: options.fetch ?? globalThis.fetch,
    sessionDir: options.sessionDir ?? options.leaseDir ?? defaultSessionDir(),
    reaper: options.reaper ?? true,
    handleSignals: options.handleSignals ?? true,
  }
}

function checkBaseUrl(text: string | undefined): string {
  if (!text) {
    throw new BowlineError('CONFIG_INVALID', 'No base URL was given', {
      hint: 'Set BOWLINE_BASE_URL or pass `baseUrl`, such as http://127.0.0.1:3900; `bowline serve` prints it.',
    })
  }
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username || url.search || url.hash) {
    throw new BowlineError('CONFIG_INVALID', 'The base URL must be a plain http: or https: URL', {
      hint: 'Set BOWLINE_BASE_URL or `baseUrl` to scheme, host and port, without credentials, query or fragment.',
    })
  }
  const baseUrl = url.href.replace(/\/+$/, '')
  const version = /\/v[12]$/.exec(baseUrl)?.[0]
  if (version === undefined) return baseUrl
  throw new BowlineError('CONFIG_INVALID', `The base URL must not end in ${version}, which is part of each request`, {
    hint: `Set BOWLINE_BASE_URL or \`baseUrl\` to ${baseUrl.slice(0, -version.length)}.`,
  })
}

function checkApiKey(text: string | undefined): string {
  // fetch would print a key that is not a valid header value in its error.
  if (text !== undefined && /^[\x21-\x7e]+$/.test(text)) return text
  throw new BowlineError(
    'CONFIG_INVALID',
    text ? 'The API key contains a space or a character outside ASCII' : 'No API key was given',
    {
      hint: text
        ? 'Set BOWLINE_API_KEY or pass `apiKey`. Copy the whole key: it may be a placeholder, or shortened with “…”.'
        : 'Set BOWLINE_API_KEY or pass `apiKey`; `bowline keys create` creates one.',
    },
  )
}

/** Returns `value` if it is an integer of at least `least`. Throws CONFIG_INVALID otherwise. */
export function checkNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new BowlineError('CONFIG_INVALID', `\`${name}\` must be an integer of at least ${least}, got ${value}`, {
    hint: `Pass a valid \`${name}\`.`,
  })
}
