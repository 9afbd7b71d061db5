import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A slow network between clients and a server on loopback. */
export interface SlowNetwork {
  /** Time that a byte takes in one direction, in addition to the time to send it. */
  readonly delayMs: number
  /** Of each direction. */
  readonly kilobitsPerSecond: number
}

/** A TCP proxy in front of a server. */
export interface SlowProxy extends AsyncDisposable {
  readonly port: number
}

/** Bytes that wait in the network before it stops reading, like in the buffer of a router. */
const bufferBytes = 32 * 1024

/** Small pieces, so that a message arrives gradually. */
const pieceBytes = 1400

/** Starts a proxy that delays and throttles what passes through it. */
export async function startSlowProxy(target: URL, network: SlowNetwork): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  // Callers may replace the port in their URL by that of the proxy.
  const { port, hostname } = target
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
      passSlowly(from, to, network)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function passSlowly(from: Socket, to: Socket, { delayMs, kilobitsPerSecond }: SlowNetwork): void {
  const bytesPerMs = kilobitsPerSecond / 8
  const queue: { readonly piece: Buffer; readonly atMs: number }[] = []
  let freeAtMs = 0
  let waiting = 0
  let hasEnded = false
  let timer: NodeJS.Timeout | undefined
  // One timer: timers of different lengths may fire in another order than their times.
  const deliver = (): void => {
    timer = undefined
    for (let next = queue[0]; next !== undefined && next.atMs <= performance.now(); next = queue[0]) {
      queue.shift()
      waiting -= next.piece.length
      if (!to.destroyed) to.write(next.piece)
    }
    if (waiting < bufferBytes) from.resume()
    if (queue.length === 0 && hasEnded) to.end()
    schedule()
  }
  const schedule = (): void => {
    const [next] = queue
    if (next !== undefined) timer ??= setTimeout(deliver, Math.max(1, Math.ceil(next.atMs - performance.now())))
  }
  from.on('data', (chunk: Buffer) => {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes)
      freeAtMs = Math.max(freeAtMs, performance.now()) + piece.length / bytesPerMs
      waiting += piece.length
      queue.push({ piece, atMs: freeAtMs + delayMs })
    }
    if (waiting >= bufferBytes) from.pause()
    schedule()
  })
  from.on('end', () => {
    hasEnded = true
    if (queue.length === 0) to.end()
  })
}
