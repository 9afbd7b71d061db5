import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A response or event. */
export interface CdpMessage {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into messages of every shape
  readonly result?: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- see above
  readonly error?: { readonly code: number; readonly message: string }
  readonly sessionId?: string
}

/** A bare CDP client over a WebSocket. */
export interface CdpSocket extends AsyncDisposable {
  readonly socket: WebSocket
  readonly call: (method: string, params?: object, sessionId?: string) => Promise<CdpMessage>
  /** All received events. */
  readonly events: readonly CdpMessage[]
  /** Resolves with code and reason when the socket closes. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** Attaches to the first page and returns the CDP session id. */
  readonly attachToPage: () => Promise<string>
}

/** Connects to a CDP URL. Rejects if the upgrade is refused. */
export async function connectCdp(url: string): Promise<CdpSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const pending = new Map<number, (message: CdpMessage) => void>()
  const events: CdpMessage[] = []
  let lastId = 0
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString()) as CdpMessage
    if (message.id === undefined) events.push(message)
    else pending.get(message.id)?.(message)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await once(socket, 'open')
  const call: CdpSocket['call'] = async (method, params = {}, sessionId) => {
    const id = ++lastId
    const answer = new Promise<CdpMessage>((resolve) => pending.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params, sessionId }))
    return answer
  }
  return {
    socket,
    call,
    events,
    closed,
    attachToPage: async () => {
      const { result } = await call('Target.getTargets')
      const page = result?.['targetInfos'].find((target: { type: string }) => target.type === 'page')
      const attached = await call('Target.attachToTarget', { targetId: page.targetId, flatten: true })
      return String(attached.result?.['sessionId'])
    },
    [Symbol.asyncDispose]: async () => {
      socket.terminate()
      await closed
    },
  }
}

/** Opens a URL in the first page, and waits until it has loaded. */
export async function openInFirstPage(client: CdpSocket, url: string): Promise<void> {
  const cdpSessionId = await client.attachToPage()
  await client.call('Page.enable', {}, cdpSessionId)
  const loaded = new Promise<void>((resolve) => {
    client.socket.on('message', (data: Buffer) => {
      if (data.includes('"Page.loadEventFired"')) resolve()
    })
  })
  await client.call('Page.navigate', { url }, cdpSessionId)
  await loaded
}

/** Resolves to the status and body of a refused upgrade. Rejects if it succeeds. */
export async function refusedUpgrade(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const socket = new WebSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Record<string, unknown> }>()
  socket.on('open', () => reject(new Error(`${url} was accepted`)))
  socket.on('error', () => undefined)
  socket.on('unexpected-response', (_request, response) => {
    const parts: Buffer[] = []
    response.on('data', (part: Buffer) => parts.push(part))
    response.on('end', () => {
      resolve({
        status: response.statusCode ?? 0,
        body: JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>,
      })
    })
  })
  return promise.finally(() => socket.terminate())
}
