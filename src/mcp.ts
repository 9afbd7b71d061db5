/** MCP server: tools for remote browser sessions, scraping and search. @module */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export { createMcpEndpoint, type McpCaller, type McpEndpoint } from './mcp/mcp-endpoint.ts'
export {
  SessionTools,
  type SessionToolCall,
  type SessionToolResult,
  type ToolDescription,
} from './mcp/session-tools.ts'
export { serveMcpStdio } from './mcp/serve-stdio.ts'
export type { McpOptions } from './mcp/tool-options.ts'
