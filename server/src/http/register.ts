import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiVersion } from 'bowline/contract/paths'
import { routes, type Route, type RouteName, type Routes } from 'bowline/contract/routes'
import type { KeyRow } from '../teams/key-queries.ts'
import { unknownKeysWarning, unknownParametersWarning, withWarning } from './ignored-keys.ts'
import { EventStream } from './event-stream.ts'
import { whenDelivered } from './response-delivered.ts'
import { registerRoute } from './register-route.ts'
import type { ResponseMemory } from './response-memory.ts'
import { streamLongJson } from './stream-long-json.ts'
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

/** Kinds of requests whose responses contain documents, except those of sessions. */
const withDocuments: ReadonlySet<Route['rateLimit']> = new Set([
  'scrape',
  'map',
  'search',
  'replay',
  'crawlStatus',
  'extractStatus',
])

/** Routes that read sessions count as reads of a status, but have no documents. */
const withoutDocuments: ReadonlySet<RouteName> = new Set(['listSessions', 'getSession'])

/** Registers handlers with the paths and schemas of the contract. */
export function registerRoutes(
  app: FastifyInstance,
  handlers: Handlers,
  { callOf, record, responses }: RegisterDeps,
): void {
  const sent = new WeakMap<FastifyRequest, { readonly body: unknown; readonly query: unknown }>()
  for (const [name, handler] of Object.entries(handlers) as [RouteName, Handler<RouteName>][]) {
    const route: Route = routes[name]
    const describeActivity = activityDescriber(route)
    registerRoute(app, name, {
      // Validation removes unknown keys.
      preValidation: async (request) => void sent.set(request, { body: request.body, query: request.query }),
      handler: async (request, reply) => {
        const input = { params: request.params, query: request.query, body: request.body }
        const call = {
          ...callOf(request),
          sentBody: sent.get(request)?.body,
          events: new EventStream(request, reply),
          delivered: async () => whenDelivered(reply.raw),
        }
        const { teamId } = call.key
        const hasDocuments = withDocuments.has(route.rateLimit) && !withoutDocuments.has(name)
        // Before any work that is billed.
        if (hasDocuments) responses.assertRoom(teamId)
        const startedAt = new Date()
        const recordActivity = (outcome: { readonly answer: unknown } | { readonly error: unknown }): void => {
          const finished = { teamId, apiVersion: call.apiVersion, body: request.body, ...outcome }
          const activity = describeActivity?.(finished, startedAt)
          if (activity !== undefined) record(activity)
        }
        try {
          const answer = await handler(input as never, call)
          recordActivity({ answer })
          const warnings = [
            unknownKeysWarning(route, sent.get(request)?.body),
            unknownParametersWarning(route, sent.get(request)?.query),
          ]
          const body = warnings.reduce(withWarning, answer)
          if (route.events === undefined || !call.events.isAccepted) {
            // Many requests can have passed the check above before any of them was answered.
            if (hasDocuments && request.method === 'GET') responses.assertRoom(teamId)
            responses.holdUntilSent(teamId, body, reply.raw)
            return streamLongJson(body, route.response, reply)
          }
          call.events.complete('created', body, route.response)
          return reply
        } catch (error) {
          recordActivity({ error })
          if (!call.events.isOpen) throw error
          call.events.fail(error as Error)
          return reply
        }
      },
    })
  }
}
