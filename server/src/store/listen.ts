import { Client } from 'pg'
import { DatabaseHosts } from './database-hosts.ts'
import { assertPrimary, hostOptions } from './primary-client.ts'
import { limitSession } from './session-settings.ts'
import type { StoreLog } from './store.ts'

/** Options of `listen`. */
export interface ListenOptions {
  readonly databaseUrl: string
  readonly channel: string
  readonly log: StoreLog | undefined
}

const minBackoffMs = 500
const maxBackoffMs = 30_000

/** Milliseconds to connect. */
const connectMs = 10_000

/**
 * Listens to a PostgreSQL channel on a dedicated connection and reconnects when it is lost. Calls
 * back with the payload of each notification, and without a payload after each connect, as
 * notifications may have been missed.
 */
export function listen(options: ListenOptions, onNotification: (payload?: string) => void): AsyncDisposable {
  const listener = new Listener(options, onNotification)
  listener.connect()
  return listener
}

class Listener implements AsyncDisposable {
  readonly #options: ListenOptions
  readonly #onNotification: (payload?: string) => void
  readonly #hosts: DatabaseHosts
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #backoffMs = minBackoffMs
  #isClosed = false

  constructor(options: ListenOptions, onNotification: (payload?: string) => void) {
    this.#options = options
    this.#onNotification = onNotification
    this.#hosts = new DatabaseHosts(options.databaseUrl)
  }

  connect(): void {
    const { url } = this.#hosts
    const client = new Client({
      ...hostOptions(this.#hosts, connectMs),
      keepAlive: true,
      application_name: 'bowline',
    })
    this.#client = client
    client.on('error', (error) => this.#reconnect(client, error))
    client.on('end', () => this.#reconnect(client, new Error('PostgreSQL closed the connection')))
    client.on('notification', ({ payload }) => this.#onNotification(payload))
    this.#subscribe(client, url).catch((error: unknown) => {
      this.#hosts.leave(url)
      this.#reconnect(client, error)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    // The connection may be broken already.
    await this.#client?.end().catch(() => undefined)
  }

  async #subscribe(client: Client, url: string): Promise<void> {
    await client.connect()
    await assertPrimary(client, this.#hosts, url)
    await limitSession(client, 0)
    await client.query(`listen ${client.escapeIdentifier(this.#options.channel)}`)
    this.#backoffMs = minBackoffMs
    this.#onNotification()
  }

  #reconnect(client: Client, error: unknown): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    this.#options.log?.warn({ err: error }, 'The connection that listens for new tasks was lost. Reconnecting.')
    // The connection is broken already.
    client.end().catch(() => undefined)
    this.#timer = setTimeout(() => this.connect(), this.#backoffMs).unref()
    this.#backoffMs = Math.min(maxBackoffMs, this.#backoffMs * 2)
  }
}
