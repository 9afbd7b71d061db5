import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net'

/** A TCP proxy whose network can fail. */
export interface Link extends AsyncDisposable {
  readonly port: number
  /** Resets all connections. Bytes on their way are lost. */
  readonly cut: () => void
  /** Delivers all bytes from now on after this many milliseconds. 0 ends the delay. */
  readonly delay: (ms: number) => void
  /** Delivers nothing until it is called with `false`. Connections stay open. */
  readonly freeze: (isFrozen: boolean) => void
  /** Resets new connections until it is called with `false`. */
  readonly refuse: (isRefusing: boolean) => void
}

/** Starts a proxy on a free port of 127.0.0.1 to a port or a Unix socket. */
export async function startLink(target: NetConnectOpts): Promise<Link> {
  const connections = new Set<Connection>()
  const network: Network = { delayMs: 0, isFrozen: false }
  let isRefusing = false
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isRefusing) {
      client.resetAndDestroy()
      return
    }
    const connection = new Connection(client, connect({ ...target, allowHalfOpen: true }), network)
    connections.add(connection)
    connection.onClose = () => connections.delete(connection)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const connection of connections) connection.reset()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    delay: (ms) => {
      network.delayMs = ms
    },
    freeze: (isFrozen) => {
      network.isFrozen = isFrozen
      if (!isFrozen) for (const connection of connections) connection.flush()
    },
    refuse: (isNowRefusing) => {
      isRefusing = isNowRefusing
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}

interface Network {
  delayMs: number
  isFrozen: boolean
}

/** Bytes after which a sender is paused while the network delays them. */
const maxWaitingBytes = 1_000_000

class Connection {
  onClose: () => void = () => undefined
  readonly #sockets: readonly [Socket, Socket]
  readonly #lines: readonly Line[]

  constructor(client: Socket, upstream: Socket, network: Network) {
    this.#sockets = [client, upstream]
    this.#lines = [new Line(client, upstream, network), new Line(upstream, client, network)]
    for (const socket of this.#sockets) socket.on('error', () => this.reset()).on('close', () => this.#closeIfEnded())
  }

  flush(): void {
    for (const line of this.#lines) line.flush()
  }

  reset(): void {
    const [client, upstream] = this.#sockets
    if (!client.destroyed) client.resetAndDestroy()
    // It can be a Unix socket, which cannot be reset.
    upstream.destroy()
  }

  #closeIfEnded(): void {
    for (const line of this.#lines) line.close()
    if (this.#sockets.every(({ destroyed }) => destroyed)) this.onClose()
    // A side that closed without an end was reset.
    else if (this.#sockets.some(({ destroyed, readableEnded }) => destroyed && !readableEnded)) this.reset()
  }
}

/** One direction of a connection. */
class Line {
  readonly #from: Socket
  readonly #to: Socket
  readonly #network: Network
  readonly #waiting: { readonly bytes: Buffer | undefined; readonly dueMs: number }[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket, network: Network) {
    this.#from = from
    this.#to = to
    this.#network = network
    from.on('data', (bytes: Buffer) => this.#push(bytes)).on('end', () => this.#push(undefined))
    to.on('drain', () => from.resume())
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (!this.#network.isFrozen && this.#waiting[0] !== undefined) {
      const { bytes, dueMs } = this.#waiting[0]
      const leftMs = dueMs - performance.now()
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.flush(), leftMs)
        return
      }
      this.#waiting.shift()
      this.#waitingBytes -= bytes?.length ?? 0
      this.#deliver(bytes)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #push(bytes: Buffer | undefined): void {
    const dueMs = Math.max(performance.now() + this.#network.delayMs, this.#waiting.at(-1)?.dueMs ?? 0)
    this.#waiting.push({ bytes, dueMs })
    this.#waitingBytes += bytes?.length ?? 0
    if (this.#waitingBytes > maxWaitingBytes) this.#from.pause()
    this.flush()
  }

  #deliver(bytes: Buffer | undefined): void {
    if (this.#to.destroyed) return
    if (bytes === undefined) this.#to.end()
    else if (!this.#to.write(bytes)) this.#from.pause()
    else if (this.#waitingBytes <= maxWaitingBytes) this.#from.resume()
  }
}
