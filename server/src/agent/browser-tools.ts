import { openCdpPort } from '../execution/cdp-port.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { McpHost } from '../mcp/mcp-host.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LoopTool, ToolOutput } from './tool-loop.ts'

/** Dependencies of `openBrowserTools`. */
export interface BrowserToolsDeps {
  readonly gateway: Pick<Gateway, 'connect'>
  readonly mcpHost: Pick<McpHost, 'describeTools' | 'callTool' | 'releaseTools'>
}

/** Options of `openBrowserTools`. */
export interface BrowserToolsOptions {
  /** Hosts that the model may open by URL. Default: all. */
  readonly allowedDomains?: readonly string[] | undefined
  /** Time limit of each call, in milliseconds. */
  readonly timeoutMs: number
}

/** Tools with which a model drives a session. Disposing disconnects from it. */
export interface BrowserTools extends AsyncDisposable {
  readonly tools: readonly LoopTool[]
  /** Returns a snapshot of the page, or an empty text if that fails. */
  readonly snapshot: (signal: AbortSignal) => Promise<string>
}

/** Maximum size of snapshots in estimated tokens: 40 000 characters. */
const maxTokens = 10_000

/** Connects the browser tools of MCP to a session. Throws PACKAGE_MISSING. */
export async function openBrowserTools(
  { gateway, mcpHost }: BrowserToolsDeps,
  session: LiveSession,
  options: BrowserToolsOptions,
): Promise<BrowserTools> {
  await using undo = new AsyncDisposableStack()
  const { id: sessionId, teamId } = session.row
  const descriptions = await mcpHost.describeTools(teamId)
  const port = undo.use(
    await openCdpPort({
      version: session.browser.version,
      connect: async (upgrade) =>
        gateway.connect(session, upgrade, { query: new URLSearchParams(), targetId: undefined }),
    }),
  )
  undo.defer(async () => mcpHost.releaseTools(teamId, sessionId))
  const call = async (tool: string, input: unknown, signal: AbortSignal): Promise<ToolOutput> => {
    session.touch()
    const toolCall = { sessionId, cdpUrl: port.url, tool, input, maxTokens, ...options }
    const output = await mcpHost.callTool(teamId, toolCall, signal)
    return { ...output, text: session.secrets.mask.apply(output.text) }
  }
  const opened = undo.move()
  return {
    tools: descriptions.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      run: async (input, signal) => call(name, input, signal),
    })),
    snapshot: async (signal) => {
      const { text, isError } = await call('browser_snapshot', {}, signal)
      return isError ? '' : text
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
