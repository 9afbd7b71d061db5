// Runs the public MCP server of this API, unmodified, on your own server, and calls a tool like an agent.
// In the configuration of an agent, set the command `firecrawl-mcp` with FIRECRAWL_API_URL and
// FIRECRAWL_API_KEY in its environment.
// npm install firecrawl-mcp
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const url = process.argv[2] ?? 'https://example.com'
const server = spawn('firecrawl-mcp', {
  stdio: ['pipe', 'pipe', 'ignore'],
  env: {
    ...process.env,
    FIRECRAWL_API_URL: process.env['BOWLINE_BASE_URL'],
    FIRECRAWL_API_KEY: process.env['BOWLINE_API_KEY'],
  },
})
const responses = createInterface({ input: server.stdout })[Symbol.asyncIterator]()

async function call(id: number, method: string, params: object): Promise<Record<string, unknown>> {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  for (;;) {
    const { value, done } = await responses.next()
    if (done === true) throw new Error('The MCP server has ended')
    const message = JSON.parse(value) as { id?: number; result?: Record<string, unknown> }
    if (message.id === id) return message.result ?? {}
  }
}

const clientInfo = { name: 'example', version: '1' }
await call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
const result = await call(2, 'tools/call', { name: 'firecrawl_scrape', arguments: { url, formats: ['markdown'] } })
console.log(JSON.stringify(result['content']))
server.kill()
