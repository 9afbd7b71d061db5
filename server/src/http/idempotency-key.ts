import type { FastifyRequest } from 'fastify'
import { idempotencyHeaders } from 'bowline/contract/idempotency'
import { invalidRequest } from './errors.ts'

/** Returns the idempotency key of a request, if any. Throws BAD_REQUEST if it is too long. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const { success, data, error } = idempotencyHeaders.safeParse(headers)
  if (!success) throw invalidRequest(error, 'headers')
  const key = data['x-idempotency-key']
  return key === '' ? undefined : key
}
