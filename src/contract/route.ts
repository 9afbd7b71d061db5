import type { z } from 'zod'
import type { ActivityEndpoint } from './activity.ts'
import type { RoutePath } from './paths.ts'
import type { RequestKind } from './rate-limits.ts'
import type { RouteAuth } from './route-auth.ts'

const megabyte = 1024 * 1024

/** Size limits of bodies above 64 kB: options with schemas and scripts, and lists. */
export const bodyBytes = { options: 2 * megabyte, list: 10 * megabyte } as const

/** Group of routes in the documentation. */
export type RouteTag =
  | 'Sessions'
  | 'Profiles'
  | 'Extensions'
  | 'Secrets'
  | 'Scrape'
  | 'Batch'
  | 'Crawl'
  | 'Map'
  | 'Search'
  | 'Agent'
  | 'Extract'
  | 'Monitors'
  | 'Webhooks'
  | 'Team'
  | 'Version 1'

/** Activity that a successful call records. */
export interface RouteActivity {
  readonly endpoint: ActivityEndpoint
  /**
   * Field of the body that the activity shows: a string, or a list whose first item is shown.
   * `session` shows the name of the session, or the text "Browser session". `retry` shows a text.
   */
  readonly target: 'url' | 'urls' | 'query' | 'session' | 'retry'
}

/**
 * Definition of a route. The server registers it, the OpenAPI document describes it, and the client
 * infers its types.
 */
export interface Route extends RoutePath {
  readonly summary: string
  readonly tag: RouteTag
  /** How callers are authorized. Default: `key`. */
  readonly auth?: Extract<RouteAuth, 'key' | 'keyOrControlToken' | 'keyOrRecordingToken'>
  /** Rate limit that calls count against. */
  readonly rateLimit: RequestKind | 'unlimited'
  /** Activity of a route that starts a job. Default: none. */
  readonly activity?: RouteActivity
  /**
   * Set if the server that runs session `{id}` handles the call. `preferred`: if that server is
   * unreachable, another one responds from the database where it can. Default: any server.
   */
  readonly sessionNode?: 'required' | 'preferred'
  /** Headers that change what a request does. Described, but not validated. */
  readonly headers?: z.ZodObject
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodType
  /**
   * Whether a response can be megabytes long, such as documents. Calls are refused while clients of
   * the team do not read earlier responses.
   */
  readonly hasLargeResponse?: true
  /** Sentence on the events that clients receive who accept `text/event-stream`. Default: none. */
  readonly events?: string
  /** Error message of invalid requests. Default: the first validation issue. */
  readonly validationMessage?: string
  /** Maximum size of the body in bytes. Default: 64 kB. */
  readonly maxBodyBytes?: number
  /**
   * Which body is a file, sent and received as a stream of bytes instead of JSON. `form`: the
   * request is multipart, with a `file` and `options`, or JSON with the `uploadRef` of a file.
   */
  readonly streams?: 'request' | 'response' | 'form'
  /**
   * Content types of a response that is a stream, for the documentation. Default:
   * `application/octet-stream`.
   */
  readonly contentTypes?: readonly string[]
  /** Whether SCRAPE_DNS_RESOLUTION_ERROR, which has the status 200, can be the response. */
  readonly canFailWith200?: true
}
