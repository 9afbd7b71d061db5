import { Client, type ClientBase, type ClientConfig } from 'pg'
import type { DatabaseHosts } from './database-hosts.ts'

/** Milliseconds to connect to one of several hosts. */
const hostConnectMs = 3000

/** Returns the options of connections to the current host. */
export function hostOptions(hosts: DatabaseHosts, connectMs: number): ClientConfig {
  const connectionTimeoutMillis = hosts.count === 1 ? connectMs : Math.min(connectMs, hostConnectMs)
  return { connectionString: hosts.url, connectionTimeoutMillis }
}

/** A connection to one of the hosts. */
export interface PrimaryClient extends Client {
  /** URL of its host. */
  readonly url: string
}

/**
 * Returns a class for `Pool` whose connections go to the host that is current when they are opened.
 * A host that cannot be reached is left for the next one.
 */
export function createPrimaryClient(hosts: DatabaseHosts): new () => PrimaryClient {
  return class extends Client {
    readonly url = hosts.url

    constructor(config?: string | ClientConfig) {
      super({ ...(typeof config === 'object' ? config : {}), connectionString: hosts.url })
    }

    override connect(): Promise<Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
      if (callback === undefined) return super.connect()
      super.connect((error: Error | null) => {
        if (error !== null && error !== undefined) hosts.leave(this.url)
        callback(error as Error)
      })
      return undefined
    }
  }
}

/** Throws ESTANDBY if there are several hosts and the connection is to one that is read-only. */
export async function assertPrimary(
  client: Pick<ClientBase, 'query'>,
  hosts: DatabaseHosts,
  url: string,
): Promise<void> {
  if (hosts.count === 1) return
  const { rows } = await client.query<{ isReadOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  )
  if (rows[0]?.isReadOnly !== true) return
  hosts.leave(url)
  throw Object.assign(new Error('The PostgreSQL server is a standby'), { code: 'ESTANDBY' })
}
