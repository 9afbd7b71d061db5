import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'
import { invalidRequest } from './errors.ts'

/** Parses requests with the schemas of the contract. `misfit` is said of those that do not fit; default: their first flaw. */
export const validateWith =
  (misfit?: string): FastifySchemaCompiler<unknown> =>
  ({ schema, httpPart }) =>
  (data: unknown) => {
    const result = (schema as z.ZodType).safeParse(data ?? (httpPart === 'body' ? {} : data))
    if (result.success) return { value: result.data }
    const error = invalidRequest(result.error, httpPart ?? 'request')
    if (misfit === undefined) return { error }
    const hint = error.message.replace('Bad Request: ', '')
    return { error: new BowlineError('BAD_REQUEST', misfit, { hint, details: error.details }) }
  }
