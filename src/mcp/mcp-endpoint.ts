import type { McpServer } from '@modelcontextprotocol/server'
import { Bowline } from '../client/bowline.ts'
import { BowlineError } from '../kit/errors.ts'
import { AgentSessions } from './agent-sessions.ts'
import { AgentBrowser } from './browser/agent-browser.ts'
import { createToolServer, type ToolBrowser } from './create-tool-server.ts'
import { loadChromium, loadMcpSdk, type McpSdk } from './load-packages.ts'
import { resolveToolOptions, type McpOptions } from './tool-options.ts'

/** Caller of an MCP endpoint, whom the server has authorized. */
export interface McpCaller {
  /** Whoever the sessions of the caller belong to, such as the id of a team. */
  readonly owner: string
  readonly apiKey: string
  /**
   * Prefix of the ids of new sessions, by which servers behind one address find the one that has a
   * session. Default: none.
   */
  readonly idPrefix?: string | undefined
  /** Base URL at which the endpoint reaches the server. */
  readonly localUrl: string
  /** Base URL at which people reach the server. */
  readonly publicUrl: string
  /** Options of the tools. They apply to the whole MCP session. */
  readonly options: McpOptions
}

/** An MCP endpoint over HTTP, for clients of all versions of the protocol. */
export interface McpEndpoint extends AsyncDisposable {
  /** Handles a request. `body` is its parsed JSON, if it has any. */
  readonly handle: (request: Request, caller: McpCaller, body: unknown) => Promise<Response>
  /** Returns the number of MCP sessions and handles. */
  readonly sessionCount: () => number
}

/**
 * Creates an MCP endpoint. Each MCP session has a browser session of its own. Clients of the
 * version 2026-07-28, which has no MCP sessions, get a handle for theirs. Disposing disconnects
 * from all browsers; the server ends them.
 *
 * Throws PACKAGE_MISSING if one of the optional packages is not installed.
 *
 * @example
 * ```ts
 * import { createMcpEndpoint, type McpCaller } from 'bowline/mcp'
 *
 * const url = 'http://127.0.0.1:3900'
 * const caller: McpCaller = {
 *   owner: 'research',
 *   apiKey: 'bl-0123456789abcdef',
 *   localUrl: url,
 *   publicUrl: url,
 *   options: { readOnly: true },
 * }
 *
 * await using endpoint = await createMcpEndpoint((error) => console.error(error))
 * const clientInfo = { name: 'example', version: '1.0.0' }
 * const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
 * const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
 * const headers = {
 *   'content-type': 'application/json',
 *   accept: 'application/json, text/event-stream',
 * }
 * const request = new Request(`${url}/mcp`, {
 *   method: 'POST',
 *   headers,
 *   body: JSON.stringify(body),
 * })
 * const response = await endpoint.handle(request, caller, body)
 * console.log(response.status, response.headers.get('mcp-session-id'))
 * ```
 */
export async function createMcpEndpoint(onError: (error: Error) => void): Promise<McpEndpoint> {
  const [sdk] = await Promise.all([loadMcpSdk(), loadChromium()])
  const sessions = new AgentSessions()
  const deps = { sdk, sessions }
  const modern = sdk.createMcpHandler(
    ({ authInfo }) => createHandleServer(authInfo?.extra?.['caller'] as McpCaller, deps),
    { legacy: 'reject', onerror: onError },
  )
  return {
    handle: async (request, caller, body) => {
      if (await sdk.isLegacyRequest(request, body)) return handleWithSession(request, caller, body, deps)
      // Only passed on to the function above. The server has checked the key.
      const authInfo = { token: caller.apiKey, clientId: caller.owner, scopes: [], extra: { caller } }
      return modern.fetch(request, { authInfo, parsedBody: body })
    },
    sessionCount: () => sessions.size,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled([modern.close(), sessions.disconnectAll()])
    },
  }
}

interface EndpointDeps {
  readonly sdk: McpSdk
  readonly sessions: AgentSessions
}

/** Creates the server of one request of a client without MCP session. */
function createHandleServer(caller: McpCaller, { sdk, sessions }: EndpointDeps): McpServer {
  const options = resolveToolOptions(caller.options)
  const bowline = createClient(caller)
  const browserOf = (handle: string | undefined): ToolBrowser => {
    if (handle === undefined) {
      const id = sessions.createId(caller.idPrefix)
      const browser = createBrowser(caller, bowline)
      sessions.add({ id, owner: caller.owner, browser })
      return { browser, handle: id }
    }
    const found = sessions.find(caller.owner, handle)
    if (found !== undefined) return { browser: found.browser, handle }
    throw new BowlineError('SESSION_NOT_FOUND', `No browser session has the handle ${JSON.stringify(handle)}`, {
      hint: 'Omit `session` to open a new one. Handles end one hour after their last use.',
    })
  }
  return createToolServer({ sdk, bowline, options, browserOf, hasHandles: true })
}

/** Handles a request of a version up to 2025-11-25, whose header names the MCP session. */
async function handleWithSession(
  request: Request,
  caller: McpCaller,
  body: unknown,
  deps: EndpointDeps,
): Promise<Response> {
  const id = request.headers.get('mcp-session-id')
  if (id === null) return startSession(request, caller, body, deps)
  const transport = deps.sessions.find(caller.owner, id)?.transport
  if (transport !== undefined) return transport.handleRequest(request, { parsedBody: body })
  const error = { code: -32_001, message: 'The MCP session has ended or is unknown. Initialize a new one.' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
}

/** Starts an MCP session if the request initializes one. Other requests are refused by the SDK. */
async function startSession(
  request: Request,
  caller: McpCaller,
  body: unknown,
  { sdk, sessions }: EndpointDeps,
): Promise<Response> {
  const options = resolveToolOptions(caller.options)
  const bowline = createClient(caller)
  const browser = createBrowser(caller, bowline)
  const { owner } = caller
  const server = createToolServer({ sdk, bowline, options, browserOf: () => ({ browser }), hasHandles: false })
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => sessions.createId(caller.idPrefix),
    onsessioninitialized: (id) => sessions.add({ id, owner, browser, transport }),
    onsessionclosed: async (id) => sessions.end(owner, id),
  })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: body })
  if (transport.sessionId === undefined) await server.close()
  return response
}

/** Creates the client of a caller. Its sessions end with the server, which runs in this process. */
function createClient({ localUrl: baseUrl, apiKey }: McpCaller): Bowline {
  return new Bowline({ baseUrl, apiKey, reaper: false, handleSignals: false }, { isEmbedded: true })
}

function createBrowser({ localUrl, publicUrl, options }: McpCaller, bowline: Bowline): AgentBrowser {
  return new AgentBrowser({
    bowline,
    session: resolveToolOptions(options).session,
    toConnectUrl: (cdpUrl) => moveUrl(cdpUrl, localUrl.replace(/^http/, 'ws')),
    toViewUrl: (viewUrl) => moveUrl(viewUrl, publicUrl),
  })
}

/** Replaces the part of a URL before its path. */
function moveUrl(url: string, base: string): string {
  return url.replace(/^\w+:\/\/[^/]*/, base)
}
