import type { z } from 'zod'
import type { Route } from '../contract/route.ts'
import { isBowlineError } from '../kit/errors.ts'
import { responseInvalid } from './read-response.ts'

/**
 * Parses the JSON response of a route. Rejects with RESPONSE_INVALID if it does not match the
 * schema; `details` then has the response as `body`.
 */
export async function parseResponse<Schema extends z.ZodType>(
  { method, path, response: schema }: Pick<Route, 'method' | 'path'> & { readonly response: Schema },
  response: Response,
): Promise<z.output<Schema>> {
  const text = await response.text()
  const body: unknown = JSON.parse(text)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw responseInvalid(`Response to ${method} ${path} does not match the API schema`, text, {
    status: response.status,
    requestId: response.headers.get('x-request-id') || undefined,
    details: { issues: parsed.error.issues, body },
  })
}

/** Returns the response that did not match the schema, or `undefined` for other errors. */
export function mismatchedResponse(error: unknown): unknown {
  if (!isBowlineError(error) || error.code !== 'RESPONSE_INVALID') return undefined
  return (error.details as { readonly body?: unknown } | undefined)?.body
}
