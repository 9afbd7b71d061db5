/** What another process needs to delete a session. Holds the API key: it crosses pipes, never disks or command lines. */
export interface DeletionRequest {
  readonly id: string
  /** Address that deletes the session. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * The body of the deletion of a session whose id is not known yet, by its idempotency key. The service may not have
   * heard of it yet either, so being unknown counts as deleted only after a while.
   */
  readonly body?: object | undefined
  /** The lease file to remove afterwards. */
  readonly leasePath: string | undefined
}

/** One line on the reaper's standard input. */
export type ReaperLine =
  | { readonly add: DeletionRequest; readonly remove?: never }
  | { readonly remove: string; readonly add?: never }

/** One line of the reaper's answer with `--once`. */
export interface ReaperResult {
  readonly id: string
  readonly sessionDurationMs?: number
  readonly creditsBilled?: number
  readonly error?: string
}
