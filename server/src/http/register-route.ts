import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { failure } from 'bowline/contract/failure'
import { addressesOf, fillPath, type RouteAddress } from 'bowline/contract/fill-path'
import type { ApiVersion } from 'bowline/contract/paths'
import { routes, type Route, type RouteName } from 'bowline/contract/routes'
import { serverRoutes, type ServerRoute, type ServerRouteName } from 'bowline/contract/server-routes'
import { sizeText, smallBodyBytes } from './body-sizes.ts'
import type { Access } from './access-checks.ts'
import { validateWith } from './validate.ts'

declare module 'fastify' {
  /** Declarations of a route that hooks read. All are absent for routes of plugins. */
  interface FastifyContextConfig {
    readonly apiVersion?: ApiVersion
    readonly auth?: keyof Access
    readonly rateLimit?: Route['rateLimit']
    readonly sessionNode?: Route['sessionNode']
    readonly streams?: Route['streams']
    readonly contentTypes?: Route['contentTypes']
    readonly canFailWith200?: Route['canFailWith200']
    readonly headers?: Route['headers']
    /** Values of parameters that the registered path already contains. */
    readonly fixedParams?: Readonly<Record<string, string>>
  }
}

/**
 * Registers a route of the contract with all its paths. Hooks find its declarations in
 * `request.routeOptions.config`.
 */
export function registerRoute(
  app: FastifyInstance,
  name: RouteName,
  options: Pick<RouteOptions, 'handler' | 'preValidation'>,
): void {
  const route: Route = routes[name]
  for (const address of addressesOf(route)) {
    const { path, version } = address
    app.route({
      ...options,
      method: route.method,
      url: fastifyPath(path),
      schema: schemaOf(name, route, address),
      bodyLimit: route.maxBodyBytes ?? smallBodyBytes,
      ...(route.validationMessage === undefined ? {} : { validatorCompiler: validateWith(route.validationMessage) }),
      config: {
        apiVersion: version,
        auth: route.auth ?? 'key',
        rateLimit: route.rateLimit,
        ...(route.sessionNode === undefined ? {} : { sessionNode: route.sessionNode }),
        ...(route.streams === undefined ? {} : { streams: route.streams }),
        ...(route.contentTypes === undefined ? {} : { contentTypes: route.contentTypes }),
        ...(route.canFailWith200 === undefined ? {} : { canFailWith200: true }),
        ...(route.headers === undefined ? {} : { headers: route.headers }),
      },
    })
  }
}

/** Options of `registerServerRoute`. */
export interface ServerRouteOptions extends Pick<RouteOptions, 'handler' | 'errorHandler' | 'bodyLimit' | 'schema'> {
  /** Values for parameters of the path. Default: the request has them. */
  readonly params?: Readonly<Record<string, string>> | undefined
}

/**
 * Registers a route outside the API with all its paths. Without a `schema`, the OpenAPI document
 * omits it.
 */
export function registerServerRoute(
  app: FastifyInstance,
  name: ServerRouteName,
  { params, schema = { hide: true }, ...options }: ServerRouteOptions,
): void {
  const { method, auth, sessionNode, ...paths }: ServerRoute = serverRoutes[name]
  for (const { path } of addressesOf(paths)) {
    app.route({
      ...options,
      schema,
      method,
      url: params === undefined ? fastifyPath(path) : fillPath(path, params),
      config: {
        auth,
        ...(sessionNode === undefined ? {} : { sessionNode }),
        ...(params === undefined ? {} : { fixedParams: params }),
      },
    })
  }
}

/** Converts a path of the contract to the syntax of Fastify. */
function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Returns the schema that Fastify validates and the OpenAPI document shows. */
function schemaOf(name: RouteName, route: Route, { path, version, isAlias }: RouteAddress): FastifySchema {
  const isV1 = isAlias && path === route.v1Paths?.[0]
  return {
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.query === undefined ? {} : { querystring: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
    response: { 200: route.response, '4xx': failure, '5xx': failure },
    summary: route.summary,
    description: descriptionOf(route),
    operationId: isV1 ? `${name}V1` : name,
    tags: [version === 'v1' ? 'Version 1' : route.tag],
    security: [{ bearer: [] }],
    // Generated clients need only one path for each operation of a version.
    ...(isAlias && !isV1 && { hide: true }),
  }
}

function descriptionOf(route: Route): string {
  const others = addressesOf(route).filter(({ isAlias }) => isAlias)
  return [
    `${route.summary}.`,
    ...(route.body === undefined ? [] : [`Maximum body size: ${sizeText(route.maxBodyBytes ?? smallBodyBytes)}.`]),
    ...(route.events === undefined ? [] : [route.events]),
    ...(others.length === 0 ? [] : [`Also at ${others.map(({ path }) => `\`${path}\``).join(', ')}.`]),
  ].join(' ')
}
