/** Options of the PGlite thread. */
export interface ThreadOptions {
  /** Directory of the database cluster. Created if needed. */
  readonly folder: string
}

/** Request to the PGlite thread. */
export type ThreadRequest =
  | {
      readonly id: number
      readonly kind: 'query'
      readonly sql: string
      readonly parameters: readonly unknown[]
      /** Returns JSON columns as text. Default: parsed. */
      readonly keepsJson: boolean
    }
  | { readonly id: number; readonly kind: 'exec'; readonly sql: string }
  | { readonly id: number; readonly kind: 'close' }

/** Result of a statement, in the shape of `pg`. */
export interface StatementResult {
  readonly command: string
  readonly rowCount: number
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Fields of a PostgreSQL error that survive structured cloning between threads. */
export interface ErrorFields {
  readonly message: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
  readonly constraint?: string | undefined
}

/**
 * Reply of the PGlite thread. `id` is that of the request. `ready` is sent once, before all others.
 */
export type ThreadReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly results: readonly StatementResult[] }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorFields }
