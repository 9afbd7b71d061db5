import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A received webhook. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The raw body. */
  readonly raw: string
  readonly body: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into events of every shape
}

/** A server that receives webhooks. */
export interface Receiver extends AsyncDisposable {
  readonly url: (path?: string) => string
  readonly received: readonly Received[]
  /** Resolves to all webhooks once `count` were received. */
  readonly whenReceived: (count: number) => Promise<readonly Received[]>
}

/**
 * Starts a receiver on a free port of 127.0.0.1. `statusOf` returns the response status of the n-th
 * webhook (from 1), or `half` for a body that never ends. Default: 200.
 */
export async function startReceiver(
  statusOf: (count: number, path: string) => number | 'half' = () => 200,
): Promise<Receiver> {
  const received: Received[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await text(request)
    received.push({ path: request.url ?? '/', headers: request.headers, raw, body: JSON.parse(raw) })
    const status = statusOf(received.length, request.url ?? '/')
    if (status === 'half') response.writeHead(200, { 'content-length': '10' }).write('half')
    else response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    for (const { count, resolve } of waiting) if (received.length >= count) resolve()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    received,
    whenReceived: async (count) => {
      if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return received
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
