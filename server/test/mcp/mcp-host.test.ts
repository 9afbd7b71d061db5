import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { McpHost, type McpHostOptions } from '../../src/mcp/mcp-host.ts'
import type { ProcessRequest } from '../../src/mcp/process-messages.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

function createHost(options: Partial<McpHostOptions> = {}): McpHost {
  return new McpHost({ onError: () => undefined, maxProcesses: 2, ...options })
}

/** A message of a client, with the id of its MCP session. */
function requestOf(owner: string, body: object, session?: string | null): ProcessRequest {
  const url = 'http://127.0.0.1:9/mcp'
  return {
    url,
    method: 'POST',
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...(typeof session === 'string' ? [['mcp-session-id', session] as const] : []),
    ],
    body,
    caller: { owner, apiKey: 'key', localUrl: url, publicUrl: url, options: {} },
  }
}

async function send(host: McpHost, team: string, body: object, session?: string | null): Promise<Response> {
  const response = await host.handle(team, requestOf(team, body, session), new AbortController().signal)
  await response.clone().text()
  return response
}

/** Starts an MCP session of a team, and returns its id. */
async function startSession(host: McpHost, team: string): Promise<string | null> {
  return (await send(host, team, initialize)).headers.get('mcp-session-id')
}

test('a request whose client has left before it is sent is not carried out', async () => {
  await using host = createHost()
  const session = await startSession(host, 'a')
  const gone = host.handle('a', requestOf('a', initialize), AbortSignal.abort())

  await expect(gone).rejects.toThrow()
  expect((await send(host, 'a', listTools, session)).status).toBe(200)
})

const listTools = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

test('a process that runs out of memory ends the MCP sessions of its team only', async () => {
  const errors: unknown[] = []
  await using host = createHost({ heapMb: 128, onError: (error) => errors.push(error) })
  const [lost, kept] = await Promise.all([startSession(host, 'a'), startSession(host, 'b')])
  const tooLarge = { ...listTools, params: { text: 'x'.repeat(140_000_000) } }

  const failed = send(host, 'a', tooLarge, lost)
  await expect(failed).rejects.toThrow('The process that serves MCP and browser tools to this team has ended')
  const withoutProcess = await send(host, 'a', listTools, lost)
  const other = await send(host, 'b', listTools, kept)

  expect(String(errors[0])).toContain('out of memory')
  expect(withoutProcess.status).toBe(404)
  expect(other.status).toBe(200)
  expect(await other.text()).toContain('browser_navigate')
})

test('unused processes make room for other teams, and end', async () => {
  const start = performance.now()
  // A step of the wall clock changes nothing.
  const wallClock = vi.spyOn(Date, 'now').mockReturnValue(0)
  const now = vi.spyOn(performance, 'now')
  onTestFinished(() => [wallClock, now].forEach((each) => each.mockRestore()))
  await using host = createHost({ maxProcesses: 1, checkMs: 20 })

  const tools = await host.describeTools('a')
  now.mockReturnValue(start + 60_000)
  await startSession(host, 'b')
  now.mockReturnValue(start + 120_000)
  const refused = host.describeTools('a')
  await expect(refused).rejects.toMatchObject({ code: 'SERVER_BUSY', status: 503, retryAfterSeconds: 30 })
  const teamBefore = [...host.pids.keys()]
  now.mockReturnValue(start + 800_000)
  await host.describeTools('a')
  const teamAfter = [...host.pids.keys()]
  now.mockReturnValue(start + 1_200_000)
  await vi.waitFor(() => expect(host.pids.size).toBe(0), 20_000)

  expect(tools.map(({ name }) => name)).toContain('browser_click')
  expect(teamBefore).toEqual(['b'])
  expect(teamAfter).toEqual(['a'])
})

test('requests that are in progress when the server shuts down, and later ones, can be sent to another one', async () => {
  const host = createHost()
  const draining = { code: 'DRAINING', status: 503, retryAfterSeconds: 5 }
  const starting = expect(send(host, 'a', initialize)).rejects.toMatchObject(draining)

  await host[Symbol.asyncDispose]()

  await starting
  await expect(send(host, 'b', initialize)).rejects.toMatchObject(draining)
  expect(host.pids.size).toBe(0)
})

describe('a process that hangs', () => {
  const limits = { startMs: 60_000, pingMs: 3000, graceMs: 60_000 }
  const call = {
    sessionId: 's',
    cdpUrl: 'ws://127.0.0.1:9',
    tool: 'browser_snapshot',
    input: {},
    maxTokens: 1,
    timeoutMs: 1000,
  }
  const ended = 'The process that serves MCP and browser tools to this team has ended'

  /** Starts a process of the team `a`, and stops it. */
  async function stopProcess(host: McpHost): Promise<void> {
    await host.describeTools('a')
    process.kill(host.pids.get('a')!, 'SIGSTOP')
  }

  test('is killed, its requests fail, and the next one starts another', async () => {
    const errors: unknown[] = []
    await using host = createHost({ limits, onError: (error) => errors.push(error) })
    await stopProcess(host)

    await expect(send(host, 'a', initialize)).rejects.toThrow(ended)

    expect(String(errors[0])).toContain('did not respond within 9 s and was killed')
    expect(await host.describeTools('a')).not.toEqual([])
  })

  test('in a tool call is killed after the timeout of the call', async () => {
    await using host = createHost({ limits: { ...limits, pingMs: 60_000, graceMs: 3000 } })
    await startSession(host, 'a')
    process.kill(host.pids.get('a')!, 'SIGSTOP')

    await expect(host.callTool('a', call, new AbortController().signal)).rejects.toThrow(ended)
  })

  test('does not delay a cancellation', async () => {
    await using host = createHost({ limits: { ...limits, pingMs: 60_000 } })
    await stopProcess(host)
    const cancelling = new AbortController()
    const [called, requested] = [
      host.callTool('a', call, cancelling.signal),
      host.handle('a', requestOf('a', initialize), cancelling.signal),
    ]
    const outcomes = Promise.allSettled([called, requested])

    cancelling.abort(new Error('enough'))

    expect(await outcomes).toEqual([
      { status: 'rejected', reason: new Error('enough') },
      { status: 'rejected', reason: new Error('enough') },
    ])
    process.kill(host.pids.get('a')!, 'SIGCONT')
  })

  test('while starting is killed', async () => {
    await using host = createHost({ limits: { ...limits, startMs: 1 } })

    await expect(host.describeTools('a')).rejects.toThrow(ended)
    expect(host.pids.size).toBe(0)
  })
})
