import type { McpCaller } from 'bowline/mcp'

/** A request that the server passes to the MCP thread. */
export interface ThreadRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [string, string])[]
  /** The parsed JSON body, if there is one. */
  readonly body: unknown
  readonly caller: McpCaller
}

/** A message to the MCP thread. */
export type ToThread =
  | { readonly kind: 'request'; readonly id: number; readonly request: ThreadRequest }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Disconnect from all browsers. */
  | { readonly kind: 'close' }

/** A message of the MCP thread. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: ThreadError }
  | {
      readonly kind: 'head'
      readonly id: number
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
    }
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: Uint8Array }
  | { readonly kind: 'end'; readonly id: number; readonly error?: ThreadError | undefined }
  | { readonly kind: 'closed' }
  | { readonly kind: 'warning'; readonly message: string }

/** An error, as it crosses the boundary of the thread. */
export interface ThreadError {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}
