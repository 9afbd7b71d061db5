import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { isLongJson, jsonChunks } from '../kit/json-chunks.ts'
import { encodeChunks } from '../kit/encode-chunks.ts'

/**
 * Returns the JSON of a large response as a stream, because serializing 60 MB at once would block
 * the event loop for over half a second. Returns small responses unchanged.
 */
export function streamLongJson(response: unknown, schema: z.ZodType, reply: FastifyReply): unknown {
  if (!isLongJson(response)) return response
  void reply.type('application/json; charset=utf-8')
  return Readable.from(encodeChunks(jsonChunks(z.encode(schema, response))), { objectMode: false })
}
