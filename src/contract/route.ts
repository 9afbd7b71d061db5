import type { z } from 'zod'

const megabyte = 1024 * 1024

/** Limits of the bodies that may be larger than 64 kB: options of a scrape with schemas and scripts, and lists. */
export const bodyBytes = { options: 2 * megabyte, list: 10 * megabyte } as const

/** What one endpoint takes and answers. The server registers it, OpenAPI describes it, the client takes its types from it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** Path with `{name}` for parameters. */
  readonly path: string
  /** Further paths that mean the same. */
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodType
  /** What is said of a request that does not fit, in place of its first flaw. */
  readonly validationMessage?: string
  /** Most bytes of the body. Default 64 kB. */
  readonly maxBodyBytes?: number
  /** Which body is the bytes of a file, sent and read as a stream. */
  readonly streams?: 'request' | 'response'
}
