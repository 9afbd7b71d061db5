import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { invalidRequest } from './errors.ts'
import { findUnstorable } from './unstorable.ts'

/** Parses requests with the schemas of the contract. `misfit` is said of those that do not fit; default: their first flaw. */
export function validateWith(validationMessage?: string): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) =>
    (data: unknown) => {
      const result = (schema as z.ZodType).safeParse(data ?? (httpPart === 'body' ? {} : data))
      const flaw = result.success ? findUnstorable(result.data) : result.error
      if (flaw === undefined) return { value: result.data }
      const error = invalidRequest(flaw, httpPart ?? 'request')
      if (validationMessage === undefined) return { error }
      const hint = error.message.replace('Bad Request: ', '')
      return { error: new BowlineError('BAD_REQUEST', validationMessage, { hint, details: error.details }) }
    }
}
