import { BowlineError } from 'bowline/kit/errors'
import type { McpCaller, SessionToolCall, SessionToolResult, ToolDescription } from 'bowline/mcp'

/** A request that the server passes to the MCP process of a team. */
export interface ProcessRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [string, string])[]
  /** The parsed JSON body, if there is one. */
  readonly body: unknown
  readonly caller: McpCaller
}

/** A message to an MCP process. */
export type ToProcess =
  | { readonly kind: 'request'; readonly id: number; readonly request: ProcessRequest }
  | { readonly kind: 'describe'; readonly id: number }
  | { readonly kind: 'call'; readonly id: number; readonly call: SessionToolCall }
  /** Disconnect from a session. */
  | { readonly kind: 'release'; readonly sessionId: string }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Respond with `pong`, to show that the process works. */
  | { readonly kind: 'ping' }
  /** Disconnect from all browsers. */
  | { readonly kind: 'close' }

/** A message of an MCP process. */
export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'result'; readonly id: number; readonly result: ToolOutcome }
  | {
      readonly kind: 'head'
      readonly id: number
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
    }
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: Uint8Array }
  | { readonly kind: 'end'; readonly id: number; readonly error?: ProcessError | undefined }
  /** The number of its MCP sessions, handles and connected sessions has changed. */
  | { readonly kind: 'sessions'; readonly count: number }
  | { readonly kind: 'warning'; readonly message: string }

/** Outcome of a message about the browser tools. */
export type ToolOutcome =
  | { readonly tools: readonly ToolDescription[] }
  | { readonly output: SessionToolResult }
  | { readonly error: ProcessError }

/** An error, as it crosses the boundary of the process. */
export interface ProcessError {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}

/** Creates the error again on the other side. */
export function toError({ code, message, hint }: ProcessError): BowlineError {
  return new BowlineError(code, message, { hint })
}
