import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Failure } from 'bowline/contract/failure'
import { joinNames, listIssues, shorten, andMore } from 'bowline/contract/validation-issues'
import { errorCodeOf } from '../metrics/error-code-of.ts'
import { describeIssue } from './describe-issue.ts'
import { sizeText } from './body-sizes.ts'
import { explainDiskFull } from '../kit/disk-full.ts'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** Messages for errors of Fastify that the client caused. */
const frameworkMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The request body must have the header `Content-Type: application/json`',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the body',
}

/**
 * Creates the error for a body, query or path that does not match its schema. `details` holds the
 * first zod issues.
 */
export function invalidRequest(error: z.core.$ZodError, part: string): BowlineError {
  const [first] = error.issues
  const unrecognized = error.issues.find((issue) => issue.code === 'unrecognized_keys')
  const where = shorten(first?.path.join('.') ?? '')
  const { issues: details, more } = listIssues(error.issues)
  const message =
    unrecognized === undefined
      ? describeIssue(first, where === '' ? part : where)
      : `Unrecognized key in ${part}: ${joinNames(unrecognized.keys.map((key) => [...unrecognized.path, key].join('.')))}`
  return new BowlineError('BAD_REQUEST', `${message}${andMore(more)}`, { details })
}

/** Failures of sites and documents, caused by neither the server nor the client. */
const siteErrors = /^(?:SCRAPE|PDF|EGRESS)_/

/** Sends the response for any thrown error. Logs the stack only for errors of the server itself. */
export function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toBowlineError(error, request)
  // The client has disconnected. This is not an error of the server.
  if (isBowlineError(error) && error.code === 'ABORTED') request.log.info({ requestId: request.id }, error.message)
  else if (known.status >= 500 && known.code !== 'NOT_IMPLEMENTED') {
    // The message may contain the full URL of the page, which can hold secrets.
    if (siteErrors.test(known.code)) request.log.info({ code: known.code, requestId: request.id }, 'site failed')
    else request.log.error({ err: error, requestId: request.id }, known.message)
  }
  // Fastify sets `Connection: close`. A client that is still sending would lose the response.
  if (known.code === 'PAYLOAD_TOO_LARGE' || known.code === 'SERVER_BUSY') reply.removeHeader('connection')
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  reply.errorCode = errorCodeOf(known)
  // A failure can have status 200, and the serializer of the route expects a success.
  return reply
    .code(known.status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(failureBody(known, request.id))
}

/** Returns the response body of an error. */
export function failureBody(error: BowlineError, requestId: string): Failure {
  return {
    ...error.body,
    success: false,
    error: error.message,
    code: error.code,
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    requestId,
  }
}

/** Returns the error that a client receives for any thrown error. */
export function toBowlineError(thrown: FastifyError | Error, request: FastifyRequest): BowlineError {
  const error = explainDiskFull(thrown)
  if (isBowlineError(error) && error.status >= 200) return error
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = sizeText(request.routeOptions.bodyLimit)
    return new BowlineError('PAYLOAD_TOO_LARGE', `Request body is too large: the limit is ${limit}`, { cause: error })
  }
  const message = 'code' in error ? frameworkMessages[error.code] : undefined
  if (message !== undefined) return new BowlineError('BAD_REQUEST', message, { cause: error })
  if ('statusCode' in error && error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new BowlineError('BAD_REQUEST', error.message, { status: error.statusCode, cause: error })
  }
  return new BowlineError('UNKNOWN_ERROR', 'Internal server error', {
    cause: error,
  })
}
