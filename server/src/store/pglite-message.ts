/** What the thread is started with. */
export interface ThreadOptions {
  /** Directory of the cluster. Made when absent. */
  readonly folder: string
}

/** What the thread is asked to do. */
export type ThreadRequest =
  | { readonly id: number; readonly kind: 'query'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly id: number; readonly kind: 'exec'; readonly sql: string }
  | { readonly id: number; readonly kind: 'close' }

/** The result of one statement, in the shape `pg` gives it. */
export interface StatementResult {
  readonly command: string
  readonly rowCount: number
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** What an error of PostgreSQL says, as fields that survive the way between threads. */
export interface ErrorFields {
  readonly message: string
  readonly code?: string | undefined
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
  readonly constraint?: string | undefined
}

/** What the thread answers: `id` is that of the request, and `ready` comes once, before any other. */
export type ThreadReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly results: readonly StatementResult[] }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorFields }
