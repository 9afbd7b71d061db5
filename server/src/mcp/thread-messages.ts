import type { McpCaller, SessionToolCall, SessionToolResult, ToolDescription } from 'bowline/mcp'

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
  | { readonly kind: 'describe'; readonly id: number }
  | { readonly kind: 'call'; readonly id: number; readonly call: SessionToolCall }
  /** Disconnect from a session. */
  | { readonly kind: 'release'; readonly sessionId: string }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Disconnect from all browsers. */
  | { readonly kind: 'close' }

/** A message of the MCP thread. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: ToolOutcome }
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

/** Outcome of a message about the browser tools. */
export type ToolOutcome =
  | { readonly tools: readonly ToolDescription[] }
  | { readonly output: SessionToolResult }
  | { readonly error: ThreadError }

/** An error, as it crosses the boundary of the thread. */
export interface ThreadError {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}
