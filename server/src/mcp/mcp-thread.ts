// Program of the worker thread that serves MCP.
import { parentPort } from 'node:worker_threads'
import { createMcpEndpoint, type McpEndpoint } from 'bowline/mcp'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { FromThread, ThreadError, ThreadRequest, ToThread } from './thread-messages.ts'

const running = new Map<number, AbortController>()

function send(message: FromThread): void {
  parentPort?.postMessage(message)
}

function toThreadError(error: unknown): ThreadError {
  const { code, hint } = isBowlineError(error) ? error : { code: 'UNKNOWN_ERROR', hint: undefined }
  return { code, message: messageOf(error), hint }
}

async function respond(endpoint: McpEndpoint, id: number, request: ThreadRequest): Promise<void> {
  const cancelled = new AbortController()
  running.set(id, cancelled)
  try {
    const { url, method, headers, body, caller } = request
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    const webRequest = new Request(url, { ...init, signal: cancelled.signal })
    const response = await endpoint.handle(webRequest, caller, body)
    send({ kind: 'head', id, status: response.status, headers: [...response.headers] })
    for await (const chunk of response.body ?? []) send({ kind: 'chunk', id, chunk })
    send({ kind: 'end', id })
  } catch (error) {
    send({ kind: 'end', id, error: toThreadError(error) })
  } finally {
    running.delete(id)
  }
}

try {
  const endpoint = await createMcpEndpoint((error) => send({ kind: 'warning', message: messageOf(error) }))
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'request') void respond(endpoint, message.id, message.request)
    else if (message.kind === 'cancel') running.get(message.id)?.abort()
    else void endpoint[Symbol.asyncDispose]().then(() => send({ kind: 'closed' }))
  })
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'failed', error: toThreadError(error) })
}
