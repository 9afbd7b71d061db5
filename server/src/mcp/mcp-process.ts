// Program of the process that serves MCP and the browser tools to one team.
import { createMcpEndpoint, SessionTools, type McpEndpoint } from 'bowline/mcp'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { FromProcess, ProcessError, ProcessRequest, ToolOutcome, ToProcess } from './process-messages.ts'

const running = new Map<number, AbortController>()
const sessionTools = new SessionTools()
let endpoint: Promise<McpEndpoint> | undefined
let openedEndpoint: McpEndpoint | undefined
let reported = 0

function send(message: FromProcess): void {
  // Fails if the server has ended, and so will this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Tells the server how many sessions would be lost with this process. */
function reportSessions(): void {
  const count = (openedEndpoint?.sessionCount() ?? 0) + sessionTools.size
  if (count !== reported) send({ kind: 'sessions', count })
  reported = count
}

function toProcessError(error: unknown): ProcessError {
  const { code, hint } = isBowlineError(error) ? error : { code: 'UNKNOWN_ERROR', hint: undefined }
  return { code, message: messageOf(error), hint }
}

/** Browser tools need no MCP SDK, so the endpoint is created at the first request. */
async function openEndpoint(): Promise<McpEndpoint> {
  endpoint ??= createMcpEndpoint((error) => send({ kind: 'warning', message: messageOf(error) }))
  endpoint.catch(() => (endpoint = undefined))
  openedEndpoint = await endpoint
  return openedEndpoint
}

async function respond(id: number, request: ProcessRequest): Promise<void> {
  const cancelled = new AbortController()
  running.set(id, cancelled)
  try {
    const { url, method, headers, body, caller } = request
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    const webRequest = new Request(url, { ...init, signal: cancelled.signal })
    const response = await (await openEndpoint()).handle(webRequest, caller, body)
    send({ kind: 'head', id, status: response.status, headers: [...response.headers] })
    // The headers are sent with the first chunk, and a stream may have no message for long.
    if (method === 'GET' && response.ok) send({ kind: 'chunk', id, chunk: Buffer.from(': connected\n\n') })
    for await (const chunk of response.body ?? []) send({ kind: 'chunk', id, chunk })
    reportSessions()
    send({ kind: 'end', id })
  } catch (error) {
    send({ kind: 'end', id, error: toProcessError(error) })
  } finally {
    running.delete(id)
  }
}

async function useTools(id: number, work: (signal: AbortSignal) => Promise<ToolOutcome>): Promise<void> {
  const cancelled = new AbortController()
  running.set(id, cancelled)
  try {
    const result = await work(cancelled.signal)
    reportSessions()
    send({ kind: 'result', id, result })
  } catch (error) {
    send({ kind: 'result', id, result: { error: toProcessError(error) } })
  } finally {
    running.delete(id)
  }
}

async function release(sessionId: string): Promise<void> {
  await sessionTools.release(sessionId).catch(() => undefined)
  reportSessions()
}

async function close(): Promise<void> {
  await Promise.allSettled([openedEndpoint?.[Symbol.asyncDispose](), sessionTools[Symbol.asyncDispose]()])
  process.exit()
}

function receive(message: ToProcess): void {
  if (message.kind === 'request') void respond(message.id, message.request)
  else if (message.kind === 'describe') void useTools(message.id, async () => ({ tools: sessionTools.describe() }))
  else if (message.kind === 'call') {
    const { id, call } = message
    void useTools(id, async (signal) => ({ output: await sessionTools.call(call, signal) }))
  } else if (message.kind === 'release') void release(message.sessionId)
  else if (message.kind === 'cancel') running.get(message.id)?.abort()
  else if (message.kind === 'ping') send({ kind: 'pong' })
  else void close()
}

// The server ends this process, also after a signal to all processes of its terminal or service.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
process.on('message', receive)
send({ kind: 'ready' })
