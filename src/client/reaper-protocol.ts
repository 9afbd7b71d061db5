/**
 * Request that deletes a session from another process. It contains the API key, so it is sent
 * through pipes and never written to disk or a command line.
 */
export interface DeletionRequest {
  readonly id: string
  /** URL of the DELETE request. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * Body that deletes a session by its idempotency key, while its id is not known yet. The server
   * may receive the request for creation later, so "not found" is retried for some seconds, and
   * then it is an error.
   */
  readonly body?: object | undefined
  /** Session marker to remove after the deletion. */
  readonly markerPath: string | undefined
}

/** A line on the standard input of the reaper. */
export type ReaperLine =
  | { readonly add: DeletionRequest; readonly remove?: never }
  | { readonly remove: string; readonly add?: never }

/** A line that the reaper prints with `--once`. */
export interface ReaperResult {
  readonly id: string
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  readonly error?: string
}
