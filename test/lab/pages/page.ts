import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request to the site and its response. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** The same site under another host name, which makes it another origin. */
  readonly crossOrigin: string
}

/** Handles requests to a path. */
export type Page = (exchange: Exchange) => void | Promise<void>

/** Pages by path. */
export type Pages = Readonly<Record<string, Page>>

/** An HTML document with a title and a body. */
export function htmlDocument(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`
}

/** Sends an HTML document. */
export function sendHtml({ response }: Exchange, title: string, body: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(htmlDocument(title, body))
}

/** Sends JSON. */
export function sendJson({ response }: Exchange, value: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value))
}

/** Sends a script. */
export function sendScript({ response }: Exchange, source: string): void {
  response.setHeader('content-type', 'text/javascript')
  response.end(source)
}

/** A page with fixed content. */
export function fixedPage(title: string, body: string): Page {
  return (exchange) => sendHtml(exchange, title, body)
}

/** Reads a number from the query. */
export function numberFrom(url: URL, name: string, fallback: number): number {
  const text = url.searchParams.get(name)
  return text === null ? fallback : Number(text)
}

/** Reads the body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
