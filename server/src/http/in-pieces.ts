import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { isLongJson, jsonChunks } from '../kit/json-chunks.ts'
import { encodeChunks } from '../kit/encode-chunks.ts'

/**
 * Returns a long answer as a stream of its JSON: writing 60 MB at once would block the server for more than half a second.
 * A short answer is returned as it is.
 */
export function inPieces(answer: unknown, schema: z.ZodType, reply: FastifyReply): unknown {
  if (!isLongJson(answer)) return answer
  void reply.type('application/json; charset=utf-8')
  return Readable.from(encodeChunks(jsonChunks(z.encode(schema, answer))), { objectMode: false })
}
