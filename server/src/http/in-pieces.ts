import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { isLongJson, jsonPieces } from '../kit/json-pieces.ts'
import { yielding } from '../kit/yielding.ts'

/**
 * Returns a long answer as a stream of its JSON: writing 60 MB at once would block the server for more than half a second.
 * A short answer is returned as it is.
 */
export function inPieces(answer: unknown, schema: z.ZodType, reply: FastifyReply): unknown {
  if (!isLongJson(answer)) return answer
  void reply.type('application/json; charset=utf-8')
  return Readable.from(yielding(jsonPieces(z.encode(schema, answer))), { objectMode: false })
}
