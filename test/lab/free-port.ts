import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that the system gives to connections and to listeners without a port. */
const firstPort = 12_000
const lastPort = 32_000

/**
 * Finds a port of 127.0.0.1 that no program listens on. Another program is unlikely to take it
 * before it is used, also while a server restarts on it.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * (lastPort - firstPort))
    const listener = createServer().listen(port, '127.0.0.1')
    const isFree = await once(listener, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    listener.close()
    await once(listener, 'close')
    return port
  }
}
