import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { invalidRequest } from './errors.ts'
import { findUnstorable } from './unstorable.ts'

/**
 * Creates a Fastify validator for the schemas of the contract. `validationMessage` replaces the
 * message of every validation error; the first issue becomes its hint.
 */
export function validateWith(validationMessage?: string): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) =>
    (data: unknown) => {
      const result = (schema as z.ZodType).safeParse(data ?? (httpPart === 'body' ? {} : data))
      const issue = result.success ? findUnstorable(result.data) : result.error
      if (issue === undefined) return { value: result.data }
      const error = invalidRequest(issue, httpPart ?? 'request')
      if (validationMessage === undefined) return { error }
      const hint = error.message.replace('Bad Request: ', '')
      return { error: new BowlineError('BAD_REQUEST', validationMessage, { hint, details: error.details }) }
    }
}
