import { Client } from 'pg'
import type { StoreLog } from './store.ts'

/** Where a listener connects, and what it listens to. */
export interface ListenOptions {
  readonly databaseUrl: string
  readonly channel: string
  readonly log: StoreLog | undefined
}

const firstPauseMs = 500
const longestPauseMs = 30_000

/**
 * Listens to a channel of PostgreSQL on a connection of its own, which is replaced whenever it is lost. Calls back with
 * the payload of each notification, and without one after each connect, because some may have been missed before it.
 */
export function listen(options: ListenOptions, onNotification: (payload?: string) => void): AsyncDisposable {
  const listener = new Listener(options, onNotification)
  listener.connect()
  return listener
}

class Listener implements AsyncDisposable {
  readonly #options: ListenOptions
  readonly #onNotification: (payload?: string) => void
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs
  #isClosed = false

  constructor(options: ListenOptions, onNotification: (payload?: string) => void) {
    this.#options = options
    this.#onNotification = onNotification
  }

  connect(): void {
    const { databaseUrl: connectionString, channel } = this.#options
    const client = new Client({
      connectionString,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      application_name: 'bowline',
    })
    this.#client = client
    client.on('error', (error) => this.#reconnect(client, error))
    client.on('end', () => this.#reconnect(client, new Error('PostgreSQL closed the connection')))
    client.on('notification', ({ payload }) => this.#onNotification(payload))
    this.#subscribe(client, channel).catch((error: unknown) => this.#reconnect(client, error))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  async #subscribe(client: Client, channel: string): Promise<void> {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    this.#pauseMs = firstPauseMs
    this.#onNotification()
  }

  #reconnect(client: Client, error: unknown): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    this.#options.log?.warn({ err: error }, 'The connection that listens for new jobs was lost')
    client.end().catch(() => undefined)
    this.#timer = setTimeout(() => this.connect(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
  }
}
