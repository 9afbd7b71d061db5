import { checkOptions, unknownOption, type OptionNames } from './check-options.ts'
import { fillPath } from '../contract/fill-path.ts'
import { findUnknownKeys } from '../contract/unknown-keys.ts'
import type { RouteInput, RouteOutput } from '../contract/route-types.ts'
import { routes, type Route, type RouteName } from '../contract/routes.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { uuidV7 } from '../kit/ids.ts'
import type { ClientConfig } from './config.ts'
import { parseResponse } from './parse-response.ts'
import type { QueueProgress } from '../contract/queue-progress.ts'
import { sendWithRetries } from './send-with-retries.ts'

/** Input of a route: `params`, `query` and `body` as defined by the contract. */
export type CallInput<Name extends RouteName> = RouteInput<Name>

/** Parsed response of a route. */
export type CallOutput<Name extends RouteName> = RouteOutput<Name>

/** Options of one API call. Aborting stops the wait; the server may still complete the request. */
export interface CallOptions extends Abortable {
  /** Makes a POST safe to retry: requests with the same key have the same result. */
  readonly idempotencyKey?: string | undefined
  /** Retries after the first attempt. Default: `retries` of the client. */
  readonly retries?: number | undefined
  /** Least number of retries, unless the client has `retries: 0`. Default: 0. */
  readonly minRetries?: number | undefined
  /** Time limit of one attempt in milliseconds. Default: `timeoutMs` of the client. */
  readonly timeoutMs?: number | undefined
  /**
   * Seconds for which the server may hold the request, in addition to `timeoutMs`. Sent as `wait`
   * in the query. Default: not sent.
   */
  readonly waitSeconds?: number | undefined
  /** Called with each position of a request that the server holds. */
  readonly onQueued?: ((progress: QueueProgress) => void) | undefined
}

/**
 * Calls a route of the contract. Rejects with a BowlineError, or with the reason of an aborted
 * signal.
 */
export type Call = <Name extends RouteName>(
  name: Name,
  input: CallInput<Name>,
  options?: CallOptions,
) => Promise<CallOutput<Name>>

/** Creates the function that sends every request of a client. */
export function createCall(config: ClientConfig): Call {
  return async (name, input, options = {}) => {
    const route: Route = routes[name]
    checkOptions(`${route.method} ${route.path}`, options, callNames)
    checkKeys(route, input as LooseInput)
    options.signal?.throwIfAborted()
    const { timeoutMs = config.timeoutMs, waitSeconds, onQueued } = options
    const retries = options.retries ?? retriesOf(config, options)
    const request = toRequest(config, route, input as LooseInput, options)
    const response = await sendWithRetries(config, request, { retries, timeoutMs, waitSeconds, onQueued })
    return (await parseResponse(route, response)) as CallOutput<typeof name>
  }
}

/**
 * Retries of requests for the state of a job, for its start with a key, and for files: enough for a
 * restart of the server.
 */
export const pollRetries = 10

/** Returns the retries of a client: at least `minRetries`, unless it has `retries: 0`. */
export function retriesOf({ retries }: Pick<ClientConfig, 'retries'>, { minRetries = 0 }: CallOptions): number {
  return retries === 0 ? 0 : Math.max(retries, minRetries)
}

const callNames: OptionNames<CallOptions> = {
  signal: true,
  idempotencyKey: true,
  retries: true,
  minRetries: true,
  timeoutMs: true,
  waitSeconds: true,
  onQueued: true,
}

/** Options of the client that functions take in their last argument. */
const requestNames: ReadonlySet<string> = new Set(['signal', 'idempotencyKey', 'onProgress'])

function misplacedHint(name: string): string {
  return `Pass \`${name}\` in the next argument: it is an option of the client, not of the server.`
}

/** Throws CONFIG_INVALID for unknown fields, which a server might silently ignore. */
function checkKeys(route: Route, { query, body }: LooseInput): void {
  for (const [schema, value] of [
    [route.query, query],
    [route.body, body],
  ] as const) {
    const [unknown] = schema === undefined ? [] : findUnknownKeys(schema, value)
    if (unknown === undefined) continue
    const isMisplaced = requestNames.has(unknown.path)
    throw unknownOption(`${route.method} ${route.path}`, unknown, isMisplaced ? misplacedHint(unknown.path) : undefined)
  }
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | Readonly<Record<string, string>> | undefined>>
  readonly body?: unknown
}

function toRequest(config: ClientConfig, route: Route, input: LooseInput, options: CallOptions): Request {
  const url = new URL(config.baseUrl + fillPath(route.path, input.params ?? {}, encodeSegment))
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (typeof value === 'object') {
      for (const [key, each] of Object.entries(value)) url.searchParams.set(`${name}[${key}]`, each)
    } else if (value !== undefined) url.searchParams.set(name, value)
  }
  return new Request(url, {
    method: route.method,
    // Following a redirect could turn a POST into a GET, or send the API key to another host.
    redirect: 'manual',
    headers: {
      // A held request gets events at once and regularly, so that no proxy in between times out.
      accept: options.waitSeconds === undefined ? 'application/json' : 'text/event-stream, application/json',
      // All attempts of a call share it.
      'x-request-id': uuidV7(),
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.idempotencyKey === undefined ? {} : { 'x-idempotency-key': options.idempotencyKey }),
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

function encodeSegment(value: string, name: string): string {
  // Path segments like `..` would address another route, even when encoded.
  if (['', '.', '..'].includes(value)) throw new BowlineError('BAD_REQUEST', `Invalid ${name} "${value}"`)
  return encodeURIComponent(value)
}
