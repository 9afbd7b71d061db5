import { checkOptions, unknownOption, type OptionNames } from './check-options.ts'
import type { z } from 'zod'
import { findUnknownKeys } from '../contract/unknown-keys.ts'
import { routes, type Route, type RouteName, type Routes } from '../contract/routes.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import type { ClientConfig } from './config.ts'
import { headers } from './middleware/headers.ts'
import { requestId } from './middleware/request-id.ts'
import { retry } from './middleware/retry.ts'
import { timeout } from './middleware/timeout.ts'
import { responseInvalid, translate } from './middleware/translate.ts'
import { withLayers } from './send.ts'

type Part<Name extends RouteName, Key extends 'params' | 'query' | 'body'> =
  Routes[Name] extends Record<Key, infer Schema extends z.ZodType> ? { readonly [K in Key]: z.input<Schema> } : unknown

/** What a route takes: `params`, `query` and `body` as its contract says. */
export type CallInput<Name extends RouteName> = Part<Name, 'params'> & Part<Name, 'query'> & Part<Name, 'body'>

/** What a route answers. */
export type CallOutput<Name extends RouteName> = z.output<Routes[Name]['response']>

/** How one call differs from the others of its client. Aborting stops the wait; what the server began it may finish. */
export interface CallOptions extends Abortable {
  /** Makes a POST safe to repeat: the server answers the same key with the same result. */
  readonly idempotencyKey?: string | undefined
  /** Default: the client's. */
  readonly retries?: number | undefined
  /** Milliseconds one attempt may take. Default: the client's. */
  readonly timeoutMs?: number | undefined
}

/** Calls one route of the contract. Rejects with a BowlineError, or with the reason of an aborted signal. */
export type Call = <Name extends RouteName>(
  name: Name,
  input: CallInput<Name>,
  options?: CallOptions,
) => Promise<CallOutput<Name>>

/** Makes the one function through which everything the client says goes. */
export function createCall(config: ClientConfig): Call {
  const send = ({ retries = config.retries, timeoutMs = config.timeoutMs }: CallOptions) =>
    withLayers(
      (request) => config.fetch(request),
      [requestId, retry(retries), translate(config.apiKey), timeout(timeoutMs), headers(config)],
    )
  return async (name, input, options = {}) => {
    checkOptions(`${routes[name].method} ${routes[name].path}`, options, callNames)
    checkKeys(routes[name], input as LooseInput)
    options.signal?.throwIfAborted()
    const response = await send(options)(toRequest(config, routes[name], input as LooseInput, options))
    return parse(name, response)
  }
}

const callNames: OptionNames<CallOptions> = { signal: true, idempotencyKey: true, retries: true, timeoutMs: true }

/** What a service would ignore, or refuse with less to go by. */
function checkKeys(route: Route, { query, body }: LooseInput): void {
  for (const [schema, value] of [
    [route.query, query],
    [route.body, body],
  ] as const) {
    const [unknown] = schema === undefined ? [] : findUnknownKeys(schema, value)
    if (unknown !== undefined) throw unknownOption(`${route.method} ${route.path}`, unknown.path, unknown.suggestion)
  }
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

function toRequest(config: ClientConfig, route: Route, input: LooseInput, options: CallOptions): Request {
  const url = new URL(config.baseUrl + fillPath(route.path, input.params ?? {}))
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return new Request(url, {
    method: route.method,
    // Following would turn a POST into a GET, or carry the call to another host.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.idempotencyKey === undefined ? {} : { 'x-idempotency-key': options.idempotencyKey }),
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ''
    // These would climb to another path, encoded or not.
    if (['', '.', '..'].includes(value)) throw new BowlineError('BAD_REQUEST', `"${value}" is not a valid ${name}`)
    return encodeURIComponent(value)
  })
}

async function parse<Name extends RouteName>(name: Name, response: Response): Promise<CallOutput<Name>> {
  const text = await response.text()
  const answer: unknown = JSON.parse(text)
  const parsed = routes[name].response.safeParse(answer)
  if (parsed.success) return parsed.data as CallOutput<Name>
  throw responseInvalid(`The answer to ${routes[name].method} ${routes[name].path} has another shape`, text, {
    status: response.status,
    requestId: response.headers.get('x-request-id') || undefined,
    details: { issues: parsed.error.issues, answer },
  })
}
