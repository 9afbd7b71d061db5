/** Sends one request: `fetch`, with or without middleware. */
export type Send = (request: Request) => Promise<Response>

/** Wraps a `Send`, for example with retries. */
export type Middleware = (next: Send) => Send

/** Wraps `send` in middleware. The first one is the outermost. */
export function applyMiddleware(send: Send, middleware: readonly Middleware[]): Send {
  return middleware.reduceRight((next, wrap) => wrap(next), send)
}
