import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiVersion } from 'bowline/contract/paths'
import { routes, type Route, type RouteName, type Routes } from 'bowline/contract/routes'
import type { KeyRow } from '../teams/key-queries.ts'
import { idleWebhookWarning } from './idle-webhook.ts'
import { unknownKeysWarning, unknownParametersWarning, withWarning } from './ignored-keys.ts'
import { EventStream } from './event-stream.ts'
import { whenDelivered } from './response-delivered.ts'
import { registerRoute } from './register-route.ts'
import type { ResponseMemory } from './response-memory.ts'
import { streamLongJson } from './stream-long-json.ts'
import { asLookupOwner } from '../kit/lookup-owner.ts'
import type { NewActivity } from '../usage/activity-log.ts'
import { activityDescriber } from './activity-of-call.ts'

/** Context of a call, in addition to its parsed input. */
export interface Call {
  readonly key: KeyRow
  /** Version of the path that the client used. */
  readonly apiVersion: ApiVersion
  /** URL under which the client reached the server, without trailing slash. */
  readonly baseUrl: string
  readonly idempotencyKey: string | undefined
  /** The body as sent, without defaults. */
  readonly sentBody?: unknown
  /** The unparsed request, for relaying it to another server. */
  readonly raw: FastifyRequest
  /** Events for a client that waits. They replace the response. */
  readonly events: EventStream
  /** Resolves to whether the whole response was written to the client's connection. */
  readonly delivered: () => Promise<boolean>
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** The parsed request of a route. */
export interface Input<R extends Route> {
  readonly params: Parsed<R['params']>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
}

/** Handles calls of one route of the contract. */
export type Handler<Name extends RouteName> = (
  input: Input<Routes[Name]>,
  call: Call,
) => Promise<z.input<Routes[Name]['response']>>

/** Handlers for some routes of the contract. Routes that stream files register themselves. */
export type Handlers = { readonly [Name in JsonRouteName]?: Handler<Name> }

type JsonRouteName = {
  [Name in RouteName]: Routes[Name] extends { readonly streams: string } ? never : Name
}[RouteName]

/** Dependencies of `registerRoutes`. */
export interface RegisterDeps {
  /** Returns the caller. Throws if the call is not authorized. */
  readonly callOf: (request: FastifyRequest) => Omit<Call, 'delivered' | 'events'>
  /**
   * Receives the activity of every call that started work, including calls that failed after the
   * start.
   */
  readonly record: (activity: NewActivity) => void
  readonly responses: ResponseMemory
}

/** Registers handlers with the paths and schemas of the contract. */
export function registerRoutes(app: FastifyInstance, handlers: Handlers, deps: RegisterDeps): void {
  const sent = new WeakMap<FastifyRequest, SentInput>()
  for (const [name, handler] of Object.entries(handlers) as [RouteName, Handler<RouteName>][]) {
    const handle = createRouteHandler(routes[name], handler, deps)
    registerRoute(app, name, {
      // Validation removes unknown keys.
      preValidation: async (request) => void sent.set(request, { body: request.body, query: request.query }),
      handler: async (request, reply) => handle(request, reply, sent.get(request)),
    })
  }
}

/** The body and the query as sent. */
interface SentInput {
  readonly body: unknown
  readonly query: unknown
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply, sent: SentInput | undefined) => Promise<unknown>

/** Returns the function that handles and records the calls of a route. */
function createRouteHandler(route: Route, handler: Handler<RouteName>, deps: RegisterDeps): RouteHandler {
  const { callOf, record, responses } = deps
  const describeActivity = activityDescriber(route)
  return async (request, reply, sent) => {
    const { params, query, body } = request
    const call: Call = {
      ...callOf(request),
      sentBody: sent?.body,
      events: new EventStream(request, reply),
      delivered: async () => whenDelivered(reply.raw),
    }
    const { apiVersion, events } = call
    const { teamId } = call.key
    // Before any work that is billed.
    if (route.hasLargeResponse) responses.assertRoom(teamId)
    const startedAt = new Date()
    const recordActivity = (outcome: { readonly response: unknown } | { readonly error: unknown }): void => {
      const activity = describeActivity?.({ teamId, apiVersion, body, ...outcome }, startedAt)
      if (activity !== undefined) record(activity)
    }
    try {
      const response = await asLookupOwner(teamId, async () => handler({ params, query, body } as never, call))
      recordActivity({ response })
      return respond(withWarnings({ route, sent, body }, response), { route, teamId, events, reply, responses })
    } catch (error) {
      recordActivity({ error })
      if (!events.isOpen) throw error
      events.fail(error as Error)
      return reply
    }
  }
}

/** Adds warnings to a response about parts of the request that have no effect. */
function withWarnings<Body>({ route, sent, body }: ReadRequest, response: Body): Body {
  const unknown = [unknownKeysWarning(route, sent?.body), unknownParametersWarning(route, sent?.query)]
  const warnings = [...unknown, idleWebhookWarning(body)]
  return warnings.reduce(withWarning, response)
}

interface ReadRequest {
  readonly route: Route
  readonly sent: SentInput | undefined
  /** Body as its schema returns it. */
  readonly body: unknown
}

interface ResponseDeps {
  readonly route: Route
  readonly teamId: string
  readonly events: EventStream
  readonly reply: FastifyReply
  readonly responses: ResponseMemory
}

/** Returns the response for Fastify to send, or ends the events of the call with it. */
function respond(body: unknown, { route, teamId, events, reply, responses }: ResponseDeps): unknown {
  if (route.events !== undefined && events.isAccepted) {
    events.complete('created', body, route.response)
    return reply
  }
  // Many requests can have passed the first check before any of them got a response.
  if (route.hasLargeResponse && route.method === 'GET') responses.assertRoom(teamId)
  responses.holdUntilSent(teamId, body, reply.raw)
  return streamLongJson(body, route.response, reply)
}
