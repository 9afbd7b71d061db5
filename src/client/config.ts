import { checkOptions, type OptionNames } from './check-options.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BowlineError } from '../kit/errors.ts'

/** What may be passed to `new Bowline()`. */
export interface BowlineOptions {
  /** Address of the service without `/v2`. Default: `BOWLINE_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /** API key. Default: `BOWLINE_API_KEY`. It is sent as a header only and appears in no URL, error or log. */
  readonly apiKey?: string | undefined
  /** Milliseconds one attempt of one request may take. Default 60 000. */
  readonly timeoutMs?: number | undefined
  /** How often a failed request is tried again, where that is safe. Default 3. */
  readonly retries?: number | undefined
  /** Headers added to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the global `fetch`. The reaper does not use it, since it is another process. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Folder of the lease files. Default `~/.bowline/leases`. */
  readonly leaseDir?: string | undefined
  /** Whether sessions of this process are deleted by a small second process when this one is killed. Default true. */
  readonly reaper?: boolean | undefined
  /** Whether SIGINT, SIGTERM and SIGHUP end the sessions of this process. Default true. */
  readonly handleSignals?: boolean | undefined
}

/** What the client works with: every option has its value. */
export interface ClientConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly retries: number
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly leaseDir: string
  readonly reaper: boolean
  readonly handleSignals: boolean
}

/** The variables the client and the CLI read. */
export interface ClientEnvironment {
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly dataDir: string | undefined
}

/** Reads `BOWLINE_BASE_URL`, `BOWLINE_API_KEY` and `BOWLINE_DATA_DIR`; an empty or blank variable counts as unset. */
export function readEnvironment(environment: Readonly<NodeJS.ProcessEnv> = process.env): ClientEnvironment {
  return {
    baseUrl: unlessBlank(environment['BOWLINE_BASE_URL']),
    apiKey: unlessBlank(environment['BOWLINE_API_KEY']),
    dataDir: unlessBlank(environment['BOWLINE_DATA_DIR']),
  }
}

function unlessBlank(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined
}

/** The variables of this process with some added: what a child process is started with. */
export function environmentWith(added: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...added,
  }
}

/** Folder of the lease files when none is named. */
export function defaultLeaseDir(): string {
  return join(homedir(), '.bowline', 'leases')
}

/** Fills in the environment and the defaults. Throws CONFIG_INVALID. */
export function resolveConfig(options: BowlineOptions, environment = readEnvironment()): ClientConfig {
  checkOptions('Bowline', options, bowlineNames)
  return {
    baseUrl: checkBaseUrl(options.baseUrl ?? environment.baseUrl),
    apiKey: checkApiKey(options.apiKey ?? environment.apiKey),
    timeoutMs: checkNumber('timeoutMs', options.timeoutMs ?? 60_000, 1),
    retries: checkNumber('retries', options.retries ?? 3, 0),
    headers: options.headers ?? {},
    fetch: options.fetch ?? globalThis.fetch,
    leaseDir: options.leaseDir ?? defaultLeaseDir(),
    reaper: options.reaper ?? true,
    handleSignals: options.handleSignals ?? true,
  }
}

const bowlineNames: OptionNames<BowlineOptions> = {
  baseUrl: true,
  apiKey: true,
  timeoutMs: true,
  retries: true,
  headers: true,
  fetch: true,
  leaseDir: true,
  reaper: true,
  handleSignals: true,
}

function checkBaseUrl(text: string | undefined): string {
  if (!text) {
    throw new BowlineError('CONFIG_INVALID', 'No base URL was given', {
      hint: 'Set BOWLINE_BASE_URL or pass `baseUrl`, such as http://127.0.0.1:3900; `bowline serve` prints it.',
    })
  }
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username || url.search || url.hash) {
    throw new BowlineError('CONFIG_INVALID', 'The base URL is not a plain http or https address', {
      hint: 'Set BOWLINE_BASE_URL or `baseUrl` to scheme, host and port, without key, query or fragment.',
    })
  }
  return url.href.replace(/\/+$/, '')
}

function checkApiKey(text: string | undefined): string {
  // A key with a blank or a line break cannot be a header; fetch would print it in its error.
  if (text !== undefined && /^[\x21-\x7e]+$/.test(text)) return text
  throw new BowlineError(
    'CONFIG_INVALID',
    text ? 'The API key holds a blank or control character' : 'No API key was given',
    {
      hint: 'Set BOWLINE_API_KEY or pass `apiKey`; `bowline keys create` makes one.',
    },
  )
}

/** A whole number that is at least `least`. Throws CONFIG_INVALID. */
export function checkNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new BowlineError('CONFIG_INVALID', `\`${name}\` is ${value}; it must be a whole number, ${least} or more`, {
    hint: `Pass a valid \`${name}\`.`,
  })
}
