import { copyStart } from '../kit/copy-start.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpHeaders, RequestSent } from './cdp-network.ts'
import type { Exchange } from './har-entry.ts'
import type { WebSocketMessage } from './har-types.ts'

/** An exchange that CDP events are still filling in. */
export type MutableExchange = { -readonly [Key in keyof Exchange]: Exchange[Key] }

const maxMessages = 1000
const maxMessageLength = 10_000
const messageBytes = 200

/**
 * A request and its redirects, which share a request id. The headers of `ExtraInfo` events arrive
 * in the order of the redirects.
 */
export class RedirectChain {
  readonly sentHeaders: CdpHeaders[] = []
  readonly receivedHeaders: CdpHeaders[] = []
  readonly #exchanges: MutableExchange[] = []
  /** Approximate size in memory. */
  bytes = 0

  get last(): MutableExchange | undefined {
    return this.#exchanges.at(-1)
  }

  /** Adds a hop. Its `redirectResponse`, if any, ends the hop before it. */
  add(sent: RequestSent, pageref: string | undefined): MutableExchange {
    const { last } = this
    if (last !== undefined && sent.redirectResponse !== undefined) {
      last.response = sent.redirectResponse
      last.transferBytes = sent.redirectResponse.encodedDataLength
      last.endedAt = sent.timestamp
    }
    const exchange = createExchange(sent, pageref)
    this.#exchanges.push(exchange)
    return exchange
  }

  /** Lists the hops, with the headers that have arrived for each. */
  list(): readonly MutableExchange[] {
    for (const [index, exchange] of this.#exchanges.entries()) {
      exchange.sentHeaders ??= this.sentHeaders[index]
      exchange.receivedHeaders ??= this.receivedHeaders[index]
    }
    return this.#exchanges
  }
}

/** Adds a message of a WebSocket to its exchange. Returns its approximate size in memory. */
export function addMessage(
  exchange: MutableExchange,
  type: WebSocketMessage['type'],
  { response, timestamp }: Protocol.Network.WebSocketFrameReceivedEvent,
): number {
  if (exchange.messages === undefined || exchange.messages.length >= maxMessages) return 0
  const { opcode, payloadData } = response
  const time = exchange.sent.wallTime + (timestamp - exchange.sent.timestamp)
  // A slice would keep the whole message in memory.
  const data = copyStart(payloadData, maxMessageLength)
  exchange.messages = [...exchange.messages, { type, time, opcode, data }]
  return messageBytes + data.length
}

function createExchange(sent: RequestSent, pageref: string | undefined): MutableExchange {
  return {
    sent: usedFieldsOf(sent),
    pageref,
    sentHeaders: undefined,
    response: undefined,
    receivedHeaders: undefined,
    endedAt: undefined,
    contentBytes: 0,
    transferBytes: undefined,
    error: undefined,
    body: undefined,
    messages: undefined,
  }
}

/** Copies the used fields. The stack trace of the initiator can have megabytes. */
function usedFieldsOf({ requestId, loaderId, frameId, type, timestamp, wallTime, request }: RequestSent): RequestSent {
  const { url, method, headers, postData } = request
  const used = { url, method, headers, ...(postData === undefined ? {} : { postData }) }
  return {
    requestId,
    loaderId,
    timestamp,
    wallTime,
    request: used,
    ...(frameId === undefined ? {} : { frameId }),
    ...(type === undefined ? {} : { type }),
  }
}
