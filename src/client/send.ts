/** Sends one request: `fetch`, with or without layers around it. */
export type Send = (request: Request) => Promise<Response>

/** Adds one concern to a `Send`. */
export type Middleware = (next: Send) => Send

/** Puts layers around `send`, the first one outermost. */
export function withLayers(send: Send, layers: readonly Middleware[]): Send {
  return layers.reduceRight((next, layer) => layer(next), send)
}
