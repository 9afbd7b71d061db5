import type { IncomingMessage } from 'node:http'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { AccessOf } from './authorize.ts'
import { chunkOverheadBytes, type BodyMemory, type HeldBytes } from './body-memory.ts'
import { smallBodyBytes } from './body-sizes.ts'
import { parseJsonBody } from './json-body.ts'

/** Dependencies of `acceptJson`. */
export interface JsonBodyDeps {
  readonly accessOf: AccessOf
  /** Counts the bodies over 64 kB. */
  readonly bodies: BodyMemory
}

/**
 * Accepts `Content-Type: application/json` with an empty body, which many clients send with DELETE.
 * Bodies over 64 kB count against the memory for bodies until the response is sent.
 */
export function acceptJson(app: FastifyInstance, { accessOf, bodies }: JsonBodyDeps): void {
  const held = new WeakMap<FastifyRequest, HeldBytes>()
  // Fastify would pass `text/plain` to the schema as a string, and the error would not mention the
  // missing header.
  app.removeContentTypeParser('text/plain')
  app.addHook('preParsing', async (request, { raw }, payload) => {
    const { headers, routeOptions } = request
    const isSmall =
      headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= smallBodyBytes
    if (isSmall || raw.destroyed) return payload
    // Routes without a key take small bodies only.
    const teamId = routeOptions.config.auth === 'key' ? accessOf(request, 'key').teamId : ''
    const bytes = bodies.open(teamId)
    held.set(request, bytes)
    raw.once('close', () => bytes[Symbol.dispose]())
    return payload
  })
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const text = await readText(request.raw, request.routeOptions.bodyLimit, held.get(request))
    return text === '' ? undefined : parseJsonBody(text)
  })
}

/** Reads a body. Throws FST_ERR_CTP_BODY_TOO_LARGE, SERVER_BUSY. */
async function readText(body: IncomingMessage, limitBytes: number, held: HeldBytes | undefined): Promise<string> {
  const announced = Number(body.headers['content-length'] ?? 0)
  if (announced > limitBytes) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  if (announced > smallBodyBytes) held?.assertRoom(announced)
  const chunks: Buffer[] = []
  let bytes = 0
  let counted = 0
  const add = (chunk: Buffer): void => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limitBytes) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
    const taken = bytes + chunks.length * chunkOverheadBytes
    if (taken <= smallBodyBytes) return
    held?.add(taken - counted)
    counted = taken
  }
  const ended = Promise.withResolvers<void>()
  const onData = (chunk: Buffer): void => {
    try {
      add(chunk)
    } catch (error) {
      ended.reject(error)
    }
  }
  const onEnd = (): void => ended.resolve()
  const onError = (error: Error): void => ended.reject(Object.assign(error, { statusCode: 400 }))
  // Not as an iterator, which would close the connection before the client has the response.
  body.on('data', onData).once('end', onEnd).once('error', onError)
  try {
    await ended.promise
  } finally {
    body.off('data', onData).off('end', onEnd).off('error', onError)
  }
  return Buffer.concat(chunks).toString()
}
