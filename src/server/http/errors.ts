import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Failure } from '../../contract/failure.ts'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'

/** What the framework's own errors are called on the wire. */
const frameworkCodes: Readonly<Record<string, { code: 'PAYLOAD_TOO_LARGE' | 'BAD_REQUEST'; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', message: 'Request body is too large: the limit is 10 MB' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'BAD_REQUEST',
    message: 'The request body must have the header `Content-Type: application/json`',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'BAD_REQUEST', message: 'Content-Length does not match the body' },
}

/** The error for a body, query or path that does not fit its schema: `details` holds zod's issues. */
export const invalidRequest = (error: z.core.$ZodError, part: string): BowlineError => {
  const [first] = error.issues
  const unrecognized = error.issues.find((issue) => issue.code === 'unrecognized_keys')
  const where = first?.path.join('.') ?? ''
  const message =
    unrecognized === undefined
      ? `Bad Request: ${where === '' ? part : where}: ${first?.message ?? 'invalid'}`
      : `Unrecognized key in ${part}: ${unrecognized.keys.join(', ')}`
  return new BowlineError('BAD_REQUEST', message, { details: error.issues })
}

/** What sites and files come to is neither our fault nor the caller's. */
const ofSites = /^(?:SCRAPE|PDF|EGRESS)_/

/** Turns whatever was thrown into an answer. Only what is no fault of the caller's or of a site is logged with its stack. */
export const answerError = (
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const known = toBowlineError(error)
  if (known.status >= 500) {
    // The message of a site's failure may hold its whole address, with what that keeps secret.
    if (ofSites.test(known.code)) request.log.info({ code: known.code, requestId: request.id }, 'a site failed')
    else request.log.error({ err: error, requestId: request.id }, known.message)
  }
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  // A failure may have the status 200, whose schema is that of a success.
  return reply
    .code(known.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(failureBody(known, request.id))
}

/** The body of a failed answer. */
export const failureBody = (error: BowlineError, requestId: string): Failure => ({
  ...error.body,
  success: false,
  error: error.message,
  code: error.code,
  ...(error.details === undefined ? {} : { details: error.details }),
  ...(error.hint === undefined ? {} : { hint: error.hint }),
  requestId,
})

const toBowlineError = (error: FastifyError | Error): BowlineError => {
  if (isBowlineError(error) && error.status >= 200) return error
  const framework = 'code' in error ? frameworkCodes[error.code] : undefined
  if (framework !== undefined) return new BowlineError(framework.code, framework.message, { cause: error })
  if ('statusCode' in error && error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new BowlineError('BAD_REQUEST', error.message, { status: error.statusCode, cause: error })
  }
  return new BowlineError('UNKNOWN_ERROR', 'The server could not answer because of an error of its own', {
    cause: error,
  })
}
