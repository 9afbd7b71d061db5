import type { z } from 'zod'

const megabyte = 1024 * 1024

/** Size limits of bodies above 64 kB: options with schemas and scripts, and lists. */
export const bodyBytes = { options: 2 * megabyte, list: 10 * megabyte } as const

/**
 * Definition of a route. The server registers it, the OpenAPI document describes it, and the client
 * infers its types.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** Path with parameters as `{name}`. */
  readonly path: string
  /** Additional paths of the route. */
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodType
  /** Error message of invalid requests. Default: the first validation issue. */
  readonly validationMessage?: string
  /** Maximum size of the body in bytes. Default: 64 kB. */
  readonly maxBodyBytes?: number
  /** Which body is a file that is streamed. */
  readonly streams?: 'request' | 'response'
}
