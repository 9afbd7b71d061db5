import { uuidV7 } from '../../kit/ids.ts'
import type { Middleware } from '../send.ts'

/** Adds an `x-request-id` to every call. All attempts of a call share it. */
export const requestId: Middleware = (next) => (request) => {
  if (!request.headers.has('x-request-id')) request.headers.set('x-request-id', uuidV7())
  return next(request)
}
