import type { CdpChannel } from '../../src/cdp/channel.ts'
import type { CdpRouter } from '../../src/cdp/router.ts'

/** An event or a response, as a client receives it. */
export interface CdpIncoming {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
  readonly sessionId?: string
}

/** A client on a channel. Its command ids start at 1. */
export interface ChannelClient extends AsyncDisposable {
  readonly channel: CdpChannel
  /** All messages that it has received. */
  readonly messages: readonly CdpIncoming[]
  readonly call: (method: string, params?: Record<string, unknown>, cdpSessionId?: string) => Promise<CdpIncoming>
  readonly nextEvent: (method: string, cdpSessionId?: string) => Promise<CdpIncoming>
  /** Attaches to a target and returns the CDP session id. */
  readonly attach: (targetId: string) => Promise<string>
}

/** Opens a channel of a router for a client. */
export async function openChannelClient(router: CdpRouter): Promise<ChannelClient> {
  const messages: CdpIncoming[] = []
  const arrivals = new EventTarget()
  let lastId = 0
  const channel = await router.openChannel((message) => {
    messages.push(JSON.parse(message.toString()) as CdpIncoming)
    arrivals.dispatchEvent(new Event('message'))
  })
  const find = async (matches: (message: CdpIncoming) => boolean): Promise<CdpIncoming> => {
    for (;;) {
      const found = messages.find(matches)
      if (found !== undefined) return found
      await new Promise((resolve) => arrivals.addEventListener('message', resolve, { once: true }))
    }
  }
  const call: ChannelClient['call'] = async (method, params = {}, cdpSessionId) => {
    const id = ++lastId
    const verdict = channel.send({ id, method, params, sessionId: cdpSessionId })
    if (verdict === 'unknown-session') throw new Error(`${method}: unknown session ${cdpSessionId}`)
    return find((message) => message.id === id)
  }
  return {
    channel,
    messages,
    call,
    nextEvent: async (method, cdpSessionId) =>
      find(
        (message) => message.method === method && (cdpSessionId === undefined || message.sessionId === cdpSessionId),
      ),
    attach: async (targetId) => {
      const { result } = await call('Target.attachToTarget', { targetId, flatten: true })
      return String(result?.['sessionId'])
    },
    [Symbol.asyncDispose]: async () => channel[Symbol.asyncDispose](),
  }
}
