import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { z } from 'zod'
import { routes, type Route, type RouteName, type Routes } from 'bowline/contract/routes'
import type { KeyRow } from '../store/keys.ts'
import { failure } from 'bowline/contract/failure'
import { tagOf } from './openapi-tags.ts'
import { unknownKeysWarning, withWarning } from './ignored-keys.ts'
import { sizeText, smallBodyBytes } from './body-sizes.ts'
import { deliveryOf } from './delivery.ts'
import { validateWith } from './validate.ts'
import { streamLongJson } from './stream-long-json.ts'
import type { NewActivity } from '../usage/activity-log.ts'
import { activityDescriber } from './activity-of-call.ts'

/** Context of a call, besides its parsed input. */
export interface Call {
  readonly key: KeyRow
  /** URL under which the client reached the server, without trailing slash. */
  readonly baseUrl: string
  readonly idempotencyKey: string | undefined
  /** The body as sent, without defaults. */
  readonly sentBody?: unknown
  /** The unparsed request, for relaying it to another server. */
  readonly raw: FastifyRequest
  /** Resolves to whether the whole response was written to the client's connection. */
  readonly delivered: () => Promise<boolean>
}

/** Returns the API version of a call, from its path. */
export function versionOf({ raw }: Call): 'v1' | 'v2' {
  return raw.url.startsWith('/v1/') ? 'v1' : 'v2'
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

/** Handlers for some routes of the contract. */
export type Handlers = { readonly [Name in RouteName]?: Handler<Name> }

/**
 * Registers handlers with the paths and schemas of the contract. `callOf` returns the caller, and
 * throws if the call is not authorized. `record` receives the activity of every job that a route
 * started, including calls that failed after the start.
 */
export function registerRoutes(
  app: FastifyInstance,
  handlers: Handlers,
  callOf: (request: FastifyRequest) => Omit<Call, 'delivered'>,
  record: (activity: NewActivity) => void,
): void {
  const bodies = new WeakMap<FastifyRequest, unknown>()
  for (const [name, handler] of Object.entries(handlers) as [RouteName, Handler<RouteName>][]) {
    const route: Route = routes[name]
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      const describeActivity = activityDescriber(route.method, path)
      app.route({
        method: route.method,
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        schema: schemaOf(name, route, path !== route.path),
        bodyLimit: route.maxBodyBytes ?? smallBodyBytes,
        ...(route.validationMessage === undefined ? {} : { validatorCompiler: validateWith(route.validationMessage) }),
        // Validation removes unknown keys.
        preValidation: async (request) => void bodies.set(request, request.body),
        handler: async (request, reply) => {
          const input = { params: request.params, query: request.query, body: request.body }
          const call = {
            ...callOf(request),
            sentBody: bodies.get(request),
            delivered: async () => deliveryOf(reply.raw),
          }
          const startedAt = new Date()
          const recordActivity = (outcome: { readonly answer: unknown } | { readonly error: unknown }): void => {
            const activity = describeActivity?.({ teamId: call.key.teamId, body: request.body, ...outcome }, startedAt)
            if (activity !== undefined) record(activity)
          }
          try {
            const answer = await handler(input as never, call)
            recordActivity({ answer })
            return streamLongJson(
              withWarning(answer, unknownKeysWarning(route, bodies.get(request))),
              route.response,
              reply,
            )
          } catch (error) {
            recordActivity({ error })
            throw error
          }
        },
      })
    }
  }
}

/** Returns the schema that Fastify validates and the OpenAPI document shows. */
export function schemaOf(name: RouteName, route: Route, isAlias: boolean): FastifySchema {
  return {
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.query === undefined ? {} : { querystring: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
    response: { 200: route.response, '4xx': failure, '5xx': failure },
    summary: route.summary,
    description: descriptionOf(route),
    operationId: name,
    tags: [tagOf(route.path)],
    security: [{ bearer: [] }],
    // Generated clients need only one path for each operation.
    ...(isAlias && { hide: true }),
  }
}

function descriptionOf({ summary, aliases = [], body, maxBodyBytes }: Route): string {
  return [
    `${summary}.`,
    ...(body === undefined ? [] : [`Maximum body size: ${sizeText(maxBodyBytes ?? smallBodyBytes)}.`]),
    ...(aliases.length === 0 ? [] : [`Also at ${aliases.map((path) => `\`${path}\``).join(', ')}.`]),
  ].join(' ')
}
