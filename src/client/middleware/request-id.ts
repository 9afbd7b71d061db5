import { uuidV7 } from '../../kit/ids.ts'
import type { Middleware } from '../send.ts'

/** Gives every call one `x-request-id`, the same over all its attempts. */
export const requestId: Middleware = (next) => (request) => {
  if (!request.headers.has('x-request-id')) request.headers.set('x-request-id', uuidV7())
  return next(request)
}
