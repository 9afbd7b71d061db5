import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request received by the service. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Handles one request. Returning false falls back to the default behaviour of the service. */
export type Answer = (request: ReceivedRequest, response: ServerResponse) => boolean

/** A foreign service with this API: a small HTTP server whose faults are chosen by tests. */
export interface ForeignService extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
  readonly requests: readonly ReceivedRequest[]
  /** Ids of sessions that are not deleted. */
  readonly live: ReadonlySet<string>
  readonly created: readonly string[]
  readonly deleted: readonly string[]
  /** Resolves when this many sessions have been deleted. */
  readonly whenDeleted: (count: number) => Promise<void>
  /** Resolves when this many sessions have been created. */
  readonly whenCreated: (count: number) => Promise<void>
}

/** Sends a JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  return true
}

/** Starts the service on a free loopback port. `answer` handles every request first. */
export async function startForeignService(answer: Answer = () => false): Promise<ForeignService> {
  const requests: ReceivedRequest[] = []
  const created: string[] = []
  const deleted: string[] = []
  const live = new Set<string>()
  const byKey = new Map<string, string>()
  const waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = []
  const notify = (): void => {
    for (const wait of waiting) if (wait.isMet()) wait.resolve()
  }
  const when = async (isMet: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ isMet, resolve })
    notify()
    return promise
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await text(incoming),
    }
    requests.push(request)
    const id = request.path.split('/')[3]?.split('?')[0]
    const idempotencyKey = String(request.headers['x-idempotency-key'])
    if (request.method === 'POST' && !byKey.has(idempotencyKey)) {
      const sessionId = `session-${created.length + 1}`
      byKey.set(idempotencyKey, sessionId)
      created.push(sessionId)
      live.add(sessionId)
      notify()
    }
    if (answer(request, response)) return
    if (request.method === 'POST') {
      sendJson(response, 200, {
        success: true,
        id: byKey.get(idempotencyKey),
        cdpUrl: 'ws://127.0.0.1:1/cdp/secret-token',
        region: 'an additional field',
      })
    } else if (request.method === 'DELETE' && id !== undefined) {
      if (!created.includes(id))
        return void sendJson(response, 404, { success: false, error: 'Browser session not found.' })
      if (live.delete(id)) deleted.push(id)
      sendJson(response, 200, { success: true, sessionDurationMs: 1234, creditsBilled: 2 })
      notify()
    } else if (request.method === 'DELETE') {
      sendJson(response, 404, { success: false, error: 'No such route' })
    } else if (id === undefined) {
      sendJson(response, 200, { success: true, sessions: [...live].map((id) => ({ id, status: 'active' })) })
    } else {
      sendJson(response, 200, { success: true, id, status: live.has(id) ? 'active' : 'destroyed' })
    }
  }
  const server = createServer((incoming, response) => void handle(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'fc-0123456789abcdef',
    requests,
    live,
    created,
    deleted,
    whenDeleted: (count) => when(() => deleted.length >= count),
    whenCreated: (count) => when(() => created.length >= count),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
