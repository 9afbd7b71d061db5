/** Sends JSON-RPC messages to an MCP endpoint, without any library. */
export class RawMcp {
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  #sessionId: string | undefined
  #lastId = 10

  constructor(url: URL, apiKey: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#headers = { authorization: `Bearer ${apiKey}`, ...headers }
  }

  get sessionId(): string | undefined {
    return this.#sessionId
  }

  /** Starts an MCP session, as clients up to 2025-11-25 do. */
  async initialize(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const { headers } = await this.post({ id: 1, method: 'initialize', params })
    this.#sessionId = headers.get('mcp-session-id') ?? undefined
    await this.post({ method: 'notifications/initialized' })
  }

  /** Uses the MCP session of another client. */
  takeOver(sessionId: string | undefined): this {
    this.#sessionId = sessionId
    return this
  }

  /** Calls a tool in the MCP session. */
  async call(name: string, args: object = {}): Promise<unknown> {
    return (await this.post({ id: ++this.#lastId, method: 'tools/call', params: { name, arguments: args } })).result
  }

  /** Calls a method as clients of 2026-07-28 do, without an MCP session. */
  async modern(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<RawAnswer> {
    const version = '2026-07-28'
    const own = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return this.post(
      { id: ++this.#lastId, method, params: { ...params, _meta: own } },
      {
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
      },
    )
  }

  /** Opens the stream of messages to the client. */
  async listen(): Promise<{ readonly ended: Promise<unknown> }> {
    const response = await fetch(this.#url, { headers: this.#allHeaders({ accept: 'text/event-stream' }) })
    return { ended: response.text() }
  }

  /** Ends the MCP session. Returns the status. */
  async end(): Promise<number> {
    return (await fetch(this.#url, { method: 'DELETE', headers: this.#allHeaders({}) })).status
  }

  async post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#allHeaders({ 'content-type': 'application/json', ...headers }),
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const text = await response.text()
    const data = text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)?.[1]
    return { status: response.status, headers: response.headers, ...JSON.parse(data ?? '{}') }
  }

  #allHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    const session = this.#sessionId === undefined ? {} : { 'mcp-session-id': this.#sessionId }
    return { accept: 'application/json, text/event-stream', ...this.#headers, ...session, ...headers }
  }
}

interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly result?: any // oxlint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly error?: { readonly code: number; readonly message: string }
}
