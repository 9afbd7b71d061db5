// Program of the worker thread that serves MCP and the browser tools of the server.
import { parentPort } from 'node:worker_threads'
import { createMcpEndpoint, SessionTools, type McpEndpoint } from 'bowline/mcp'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { FromThread, ThreadError, ThreadRequest, ToolOutcome, ToThread } from './thread-messages.ts'

const running = new Map<number, AbortController>()
const sessionTools = new SessionTools()
let endpoint: Promise<McpEndpoint> | undefined

function send(message: FromThread): void {
  parentPort?.postMessage(message)
}

function toThreadError(error: unknown): ThreadError {
  const { code, hint } = isBowlineError(error) ? error : { code: 'UNKNOWN_ERROR', hint: undefined }
  return { code, message: messageOf(error), hint }
}

/** Browser tools need no MCP SDK, so the endpoint is created at the first request. */
async function openEndpoint(): Promise<McpEndpoint> {
  endpoint ??= createMcpEndpoint((error) => send({ kind: 'warning', message: messageOf(error) }))
  endpoint.catch(() => (endpoint = undefined))
  return endpoint
}

async function respond(id: number, request: ThreadRequest): Promise<void> {
  const cancelled = new AbortController()
  running.set(id, cancelled)
  try {
    const { url, method, headers, body, caller } = request
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    const webRequest = new Request(url, { ...init, signal: cancelled.signal })
    const response = await (await openEndpoint()).handle(webRequest, caller, body)
    send({ kind: 'head', id, status: response.status, headers: [...response.headers] })
    for await (const chunk of response.body ?? []) send({ kind: 'chunk', id, chunk })
    send({ kind: 'end', id })
  } catch (error) {
    send({ kind: 'end', id, error: toThreadError(error) })
  } finally {
    running.delete(id)
  }
}

async function useTools(id: number, work: (signal: AbortSignal) => Promise<ToolOutcome>): Promise<void> {
  const cancelled = new AbortController()
  running.set(id, cancelled)
  try {
    send({ kind: 'result', id, result: await work(cancelled.signal) })
  } catch (error) {
    send({ kind: 'result', id, result: { error: toThreadError(error) } })
  } finally {
    running.delete(id)
  }
}

async function close(): Promise<void> {
  const opened = await endpoint?.catch(() => undefined)
  await Promise.allSettled([opened?.[Symbol.asyncDispose](), sessionTools[Symbol.asyncDispose]()])
  send({ kind: 'closed' })
}

function receive(message: ToThread): void {
  if (message.kind === 'request') void respond(message.id, message.request)
  else if (message.kind === 'describe') void useTools(message.id, async () => ({ tools: sessionTools.describe() }))
  else if (message.kind === 'call') {
    const { id, call } = message
    void useTools(id, async (signal) => ({ output: await sessionTools.call(call, signal) }))
  } else if (message.kind === 'release') void sessionTools.release(message.sessionId).catch(() => undefined)
  else if (message.kind === 'cancel') running.get(message.id)?.abort()
  else void close()
}

parentPort?.on('message', receive)
send({ kind: 'ready' })
