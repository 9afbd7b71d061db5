import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server of the Model Context Protocol in a process. Disposing ends it. */
export interface Mcp extends AsyncDisposable {
  /** Calls a tool, and resolves to its result as JSON. */
  readonly callTool: (name: string, params: object) => Promise<string>
}

/** Starts a server that speaks over its standard streams. */
export async function startMcp(program: string, args: readonly string[], options: SpawnOptions): Promise<Mcp> {
  const server = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  let lastId = 0
  const send = (message: object): void => void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const call = async (method: string, params: object): Promise<string> => {
    lastId += 1
    send({ id: lastId, method, params })
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${program} has exited`)
      const { id, result } = JSON.parse(value) as { readonly id?: number; readonly result?: unknown }
      if (id === lastId) return JSON.stringify(result)
    }
  }
  const clientInfo = { name: 'bowline', version: '1' }
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    callTool: async (name, params) => call('tools/call', { name, arguments: params }),
    [Symbol.asyncDispose]: async () => {
      server.stdin.end()
      server.kill()
      await once(server, 'close')
    },
  }
}
