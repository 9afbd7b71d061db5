import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Properties of a slow network, the same in both directions. */
export interface Slowness {
  /** Time that each byte takes to arrive. */
  readonly delayMs: number
  readonly bitsPerSecond: number
}

/** A TCP proxy with the properties of a slow network. */
export interface SlowNetwork extends AsyncDisposable {
  /** The URL with the host and port of the proxy. */
  readonly through: (url: string) => string
}

/** Most bytes that are on their way in each direction of a connection. More are not read. */
const maxBytes = 16_000

/** Forwards all connections to the host and port of a URL. */
export async function startSlowNetwork(url: string, slowness: Slowness): Promise<SlowNetwork> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => [client, upstream].forEach((each) => each.destroy()))
      socket.on('close', () => sockets.delete(socket))
    }
    void forward(client, upstream, slowness)
    void forward(upstream, client, slowness)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    through: (target) => Object.assign(new URL(target), { host: own }).href,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Copies bytes from one socket to the other, late and at the rate of the network. */
async function forward(from: Socket, to: Socket, { delayMs, bitsPerSecond }: Slowness): Promise<void> {
  let freeAtMs = 0
  let bytes = 0
  let last = Promise.resolve()
  from.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > maxBytes) from.pause()
    freeAtMs = Math.max(performance.now(), freeAtMs) + (8000 * chunk.length) / bitsPerSecond
    const arrival = delay(freeAtMs + delayMs - performance.now())
    last = Promise.all([arrival, last]).then(() => {
      bytes -= chunk.length
      if (bytes <= maxBytes) from.resume()
      to.write(chunk)
    })
  })
  await once(from, 'close').catch(() => undefined)
  await last
  to.destroy()
}
