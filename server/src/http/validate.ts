import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { invalidRequest } from './errors.ts'
import { collectRecords } from './query-records.ts'
import { findUnstorable } from './unstorable.ts'

/**
 * Creates a Fastify validator for the schemas of the contract. `validationMessage` replaces the
 * message of every validation error; the first issue becomes its hint.
 */
export function validateWith(validationMessage?: string): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) =>
    (data: unknown) => {
      const result = (schema as z.ZodType).safeParse(inputOf(schema as z.ZodType, data, httpPart))
      const repeated = httpPart === 'querystring' ? findRepeated(schema as z.ZodType, data) : undefined
      const issue = repeated ?? (result.success ? findUnstorable(result.data) : result.error)
      if (issue === undefined) return { value: result.data }
      const error = invalidRequest(issue, httpPart ?? 'request')
      if (validationMessage === undefined) return { error }
      const hint = error.message.replace('Bad Request: ', '')
      return { error: new BowlineError('BAD_REQUEST', validationMessage, { hint, details: error.details }) }
    }
}

function inputOf(schema: z.ZodType, data: unknown, httpPart: string | undefined): unknown {
  if (httpPart === 'body') return data ?? {}
  return httpPart === 'querystring' ? collectRecords(schema, data) : data
}

/** Finds a parameter of the query that is given several times, which Fastify parses as an array. */
function findRepeated(schema: z.ZodType, data: unknown): z.ZodError | undefined {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  for (const [name, value] of Object.entries(data ?? {})) {
    if (!Array.isArray(value) || !known.includes(name.replace(/\[.*$/s, ''))) continue
    const message = `\`${name}\` is in the query ${value.length} times. Send it once`
    return new z.ZodError([{ code: 'custom', path: [name], message, input: undefined }])
  }
  return undefined
}
