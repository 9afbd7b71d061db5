import { splitDatabaseUrl } from '../kit/database-url.ts'

/** The hosts of a database URL, of which one is the primary server. */
export class DatabaseHosts {
  readonly #urls: readonly [string, ...string[]]
  #current = 0

  constructor(databaseUrl: string) {
    this.#urls = splitDatabaseUrl(databaseUrl) ?? [databaseUrl]
  }

  /** URL of the host that new connections use. */
  get url(): string {
    return this.#urls[this.#current] ?? this.#urls[0]
  }

  get count(): number {
    return this.#urls.length
  }

  /** Uses the next host, if a URL is still the current one: it is unreachable or a standby. */
  leave(url: string): void {
    if (url === this.url) this.#current = (this.#current + 1) % this.#urls.length
  }
}
