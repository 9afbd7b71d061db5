import type { Socket } from 'node:net'

/** Traffic through the proxy. Bytes are counted between browser and proxy. */
export interface Traffic {
  readonly sentBytes: number
  readonly receivedBytes: number
  readonly connections: number
  /** Connections that the address policy refused. */
  readonly refused: number
}

/** Connections of a proxy endpoint, and what passed through them. */
export class EndpointTraffic {
  readonly #open = new Set<Socket>()
  #sentBytes = 0
  #receivedBytes = 0
  #connections = 0
  #refused = 0

  /** Counts a connection of the browser. */
  add(socket: Socket): void {
    this.#connections += 1
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#sentBytes += socket.bytesRead
      this.#receivedBytes += socket.bytesWritten
    })
  }

  /** Counts a connection that the address policy refused. */
  addRefused(): void {
    this.#refused += 1
  }

  total(): Traffic {
    const sum = (base: number, field: 'bytesRead' | 'bytesWritten'): number =>
      [...this.#open].reduce((total, socket) => total + socket[field], base)
    return {
      sentBytes: sum(this.#sentBytes, 'bytesRead'),
      receivedBytes: sum(this.#receivedBytes, 'bytesWritten'),
      connections: this.#connections,
      refused: this.#refused,
    }
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy()
  }
}
