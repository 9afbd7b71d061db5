import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from './matches-etag.ts'
import { addCodeSamples } from './openapi-samples.ts'

/** Stands for the URL of the server. No quoting changes it. */
const placeholder = 'https://base-url.invalid'

/** URLs that need no quoting in JSON or code samples. */
const plainUrl = /^https?:\/\/[\w.:/~[\]-]{1,300}$/

/**
 * Sends the OpenAPI document. It is the same for all clients but for the URL of the server in its
 * code samples, so it is serialized once.
 */
export class OpenApiText {
  readonly #app: FastifyInstance
  readonly #baseUrlOf: (request: FastifyRequest) => string
  #json: SerializedDocument | undefined
  #yaml: SerializedDocument | undefined

  constructor(app: FastifyInstance, baseUrlOf: (request: FastifyRequest) => string) {
    this.#app = app
    this.#baseUrlOf = baseUrlOf
  }

  /** Sends the document as JSON, with code samples for the URL that the client has used. */
  sendJson(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#json ??= new SerializedDocument(JSON.stringify(addCodeSamples(this.#app.swagger(), placeholder)))
    const baseUrl = this.#baseUrlOf(request)
    // Only malformed Host headers have other characters.
    const usable = plainUrl.test(baseUrl) ? baseUrl : 'http://localhost'
    return send(this.#json.withBaseUrl(usable), { request, reply, type: 'application/json; charset=utf-8' })
  }

  /** Sends the document as YAML, without code samples. */
  sendYaml(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#yaml ??= new SerializedDocument(this.#app.swagger({ yaml: true }))
    return send(this.#yaml.withBaseUrl(''), { request, reply, type: 'application/x-yaml' })
  }
}

interface Rendered {
  readonly baseUrl: string
  readonly bytes: Buffer
  readonly etag: string
}

/** A document in which the URL of the server is filled in. */
class SerializedDocument {
  readonly #parts: readonly string[]
  readonly #hash: string
  /** The newest one: most clients use the same URL. */
  #rendered: Rendered | undefined

  constructor(text: string) {
    this.#parts = text.split(placeholder)
    this.#hash = hashOf(text)
  }

  withBaseUrl(baseUrl: string): Rendered {
    if (this.#rendered?.baseUrl === baseUrl) return this.#rendered
    const bytes = Buffer.from(this.#parts.join(baseUrl))
    this.#rendered = { baseUrl, bytes, etag: `"${this.#hash}-${hashOf(baseUrl)}"` }
    return this.#rendered
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly type: string
}

function send({ bytes, etag }: Rendered, { request, reply, type }: Exchange): FastifyReply {
  void reply.header('etag', etag).type(type)
  return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(bytes)
}
