import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { failureBody, toBowlineError } from './errors.ts'

/** Milliseconds between comments, so that proxies keep a silent stream open. */
const commentMs = 10_000

/**
 * Server-sent events in place of a JSON response, for clients that accept `text/event-stream`. The
 * stream opens with its first event.
 */
export class EventStream {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #commentMs: number
  #comments: NodeJS.Timeout | undefined

  /** `options.commentMs` is the time between comments. Default: 10 s. */
  constructor(request: FastifyRequest, reply: FastifyReply, options: { readonly commentMs?: number } = {}) {
    this.#request = request
    this.#reply = reply
    this.#commentMs = options.commentMs ?? commentMs
  }

  /** Whether the client accepts events. */
  get isAccepted(): boolean {
    return this.#request.headers.accept?.includes('text/event-stream') === true
  }

  /** Whether an event was sent, so that no JSON response can follow. */
  get isOpen(): boolean {
    return this.#comments !== undefined
  }

  /** Sends an event with JSON data. A client that reads too slowly misses some. */
  send(event: string, data: unknown): void {
    const { raw } = this.#reply
    if (!this.isOpen) this.#open()
    if (!raw.writableNeedDrain && !raw.destroyed) raw.write(eventText(event, data))
  }

  /** Sends the last event, with the body of a successful response. */
  complete(event: string, body: unknown, schema: z.ZodType): void {
    this.#end(eventText(event, z.encode(schema, body)))
  }

  /** Sends `error` as the last event, with the body and the status of the error response. */
  fail(error: Error): void {
    const known = toBowlineError(error, this.#request)
    const { retryAfterSeconds, status } = known
    const retry = retryAfterSeconds === undefined ? '' : `retry: ${Math.ceil(retryAfterSeconds * 1000)}\n`
    this.#end(retry + eventText('error', { ...failureBody(known, this.#request.id), status }))
  }

  #open(): void {
    const reply = this.#reply
    reply.hijack()
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would collect the events.
      'x-accel-buffering': 'no',
    })
    this.#comments = setInterval(() => void reply.raw.write(': waiting\n\n'), this.#commentMs).unref()
    reply.raw.once('close', () => clearInterval(this.#comments))
  }

  #end(text: string): void {
    if (!this.isOpen) this.#open()
    clearInterval(this.#comments)
    this.#reply.raw.end(text)
  }
}

function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
