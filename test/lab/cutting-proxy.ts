import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy whose connections can be cut, as a network does. */
export interface CuttingProxy extends AsyncDisposable {
  /** Base URL of the proxied server. */
  readonly url: string
  /** Number of open connections that carry a WebSocket. */
  readonly webSockets: () => number
  /** Resets all connections without a close frame. Bytes on their way are lost. */
  readonly cut: () => void
  /**
   * Cuts all connections once, in the next response to a request that contains `part`, after
   * `bytes` bytes of it.
   */
  readonly cutResponse: (part: string, bytes: number) => void
  /** Forwards no more bytes of the open connections, which stay open: they are half open. */
  readonly freeze: () => void
  /** Connects to another server from now on. Open connections stay. */
  readonly connectTo: (serverUrl: string) => void
  /** Refuses new connections until the returned function is called. */
  readonly refuse: () => () => void
}

/** Starts a proxy to a server on 127.0.0.1. */
export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  let target = new URL(serverUrl)
  const clients = new Map<Socket, { isWebSocket: boolean; readonly upstream: Socket }>()
  let isRefusing = false
  let planned: { readonly part: string; readonly bytes: number } | undefined
  const server = createServer((client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    const connection = { isWebSocket: false, upstream }
    clients.set(client, connection)
    client.once('data', (head: Buffer) => {
      connection.isWebSocket = /^upgrade: websocket/im.test(head.toString('latin1'))
    })
    client.pipe(upstream).pipe(client)
    let bytesUntilCut = Infinity
    client.on('data', (chunk: Buffer) => {
      if (planned === undefined || !chunk.includes(planned.part)) return
      bytesUntilCut = planned.bytes
      planned = undefined
    })
    upstream.on('data', (chunk: Buffer) => {
      bytesUntilCut -= chunk.length
      if (bytesUntilCut <= 0) cut()
    })
    const close = (): void => {
      clients.delete(client)
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const client of clients.keys()) client.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webSockets: () => [...clients.values()].filter(({ isWebSocket }) => isWebSocket).length,
    cut,
    cutResponse: (part, bytes) => {
      planned = { part, bytes }
    },
    freeze: () => {
      for (const [client, { upstream }] of clients) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
    },
    connectTo: (url) => {
      target = new URL(url)
    },
    refuse: () => {
      isRefusing = true
      return () => {
        isRefusing = false
      }
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
