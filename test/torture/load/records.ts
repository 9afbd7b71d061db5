/** A session that a client received. */
export interface SessionRecord {
  readonly id: string
  readonly requestedAtMs: number
  readonly receivedAtMs: number
  /** When the client first asked to delete it. */
  deletionRequestedAtMs?: number
  /** When its deletion was confirmed. */
  deletedAtMs?: number
}

/** A batch or a crawl that a server accepted. */
export interface JobRecord {
  readonly path: string
  readonly id: string
  readonly kind: 'batch' | 'crawl'
  /** Number of its pages. Undefined: it finds them. */
  readonly pages: number | undefined
}

/** Observations of the clients of a run. */
export interface Records {
  readonly sessions: readonly SessionRecord[]
  readonly jobs: readonly JobRecord[]
  /** Paths of checks of monitors that a server accepted. */
  readonly checks: readonly string[]
  /** Requests sent. */
  readonly requests: number
  /** Successful responses of single scrapes. */
  readonly scrapes: number
  /** Single scrapes whose requests were sent. */
  readonly scrapeRequests: number
  /** Files that sessions downloaded, and that a client has read back. */
  readonly downloads: number
  /** Downloads that had the wrong bytes. */
  readonly damagedDownloads: readonly string[]
  /** Values of each profile that its next session may find. */
  readonly profiles: ReadonlyMap<string, readonly string[]>
  /** How each value was saved, to explain a wrong one. */
  readonly notes: readonly string[]
  /** Sessions of programs with a driver whose work succeeded. */
  readonly drivenSessions: Readonly<Record<string, number>>
}
