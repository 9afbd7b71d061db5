import type { CdpHeaders, CdpResponse, RequestSent } from './cdp-network.ts'
import { bodiesNotRecorded, toHarEntry, type Body, type Exchange } from './har-entry.ts'
import type { WebSocketMessage } from './har-types.ts'
import type { TempFile } from './temp-file.ts'
import type { AttachedTarget } from './attach-to-targets.ts'

/** Options for the contents of the HAR file. */
export interface NetworkLogOptions {
  readonly withBodies: boolean
  readonly withSecrets: boolean
}

/** Position of an entry in the file. */
export interface EntryLocation {
  readonly startedAt: string
  readonly start: number
  readonly length: number
}

/** A page in HAR: a document that was loaded. */
export interface HarPage {
  readonly startedDateTime: string
  readonly id: string
  readonly title: string
  readonly pageTimings: { readonly onContentLoad: number; readonly onLoad: number }
}

const maxBodyBytes = 1_000_000
const maxMessages = 1000
const maxMessageLength = 10_000

/** Time that `finish` waits for requested bodies. */
const bodiesTimeoutMs = 1000

type OpenExchange = { -readonly [Key in keyof Exchange]: Exchange[Key] }

/**
 * A request and its redirects, which share a request id. The headers of `ExtraInfo` events arrive
 * in the order of the redirects.
 */
interface Hops {
  readonly all: OpenExchange[]
  readonly sentHeaders: CdpHeaders[]
  readonly receivedHeaders: CdpHeaders[]
}

/** Writes the requests of a session to a file, one HAR entry per line, as they end. */
export class NetworkLog {
  readonly locations: EntryLocation[] = []
  readonly pages: HarPage[] = []
  readonly #file: TempFile
  readonly #options: NetworkLogOptions
  readonly #open = new Map<string, Hops>()
  readonly #pending = new Set<Promise<void>>()
  readonly #pageOfTarget = new Map<string, string>()
  /** Number of entries that exceeded the size limit. */
  #skipped = 0

  constructor(file: TempFile, options: NetworkLogOptions) {
    this.#file = file
    this.#options = options
  }

  get skipped(): number {
    return this.#skipped
  }

  /** Enables network events of a target. */
  async watch(target: AttachedTarget): Promise<void> {
    const buffers = { maxTotalBufferSize: 10_000_000, maxResourceBufferSize: maxBodyBytes }
    await target.call('Network.enable', { ...buffers, maxPostDataSize: 65_536 })
    // Keeps bodies after a navigation. Not supported by older versions of Chromium.
    await target.call('Network.configureDurableMessages', buffers).catch(() => undefined)
  }

  /** Handles a CDP event of a target. */
  receive(target: AttachedTarget, method: string, params: Readonly<Record<string, unknown>>): void {
    const key = `${target.sessionId} ${String(params['requestId'])}`
    switch (method) {
      case 'Network.requestWillBeSent':
        return this.#begin(target, key, params as unknown as RequestSent)
      case 'Network.requestWillBeSentExtraInfo':
        this.#hopsOf(key).sentHeaders.push(params['headers'] as CdpHeaders)
        return
      case 'Network.responseReceivedExtraInfo':
        this.#hopsOf(key).receivedHeaders.push(params['headers'] as CdpHeaders)
        return
      case 'Network.loadingFinished':
      case 'Network.loadingFailed':
        return this.#finish(target, key, params)
      case 'Network.webSocketCreated':
        return this.#beginSocket(key, params)
      case 'Network.webSocketClosed':
        return this.#finish(target, key, params)
      default:
        this.#updateExchange(key, method, params)
    }
  }

  /** Writes the requests that have not ended, then closes the file. */
  async finish(): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, bodiesTimeoutMs)
    await Promise.race([Promise.allSettled(this.#pending), timeout.promise])
    clearTimeout(timer)
    for (const [key, { all }] of this.#open) {
      const last = all.at(-1)
      if (last !== undefined && last.messages === undefined) last.error ??= 'the session ended before the response'
      this.#write(key)
    }
    await this.#file.close()
  }

  #hopsOf(key: string): Hops {
    const found = this.#open.get(key)
    if (found !== undefined) return found
    const created: Hops = { all: [], sentHeaders: [], receivedHeaders: [] }
    this.#open.set(key, created)
    return created
  }

  #begin(target: AttachedTarget, key: string, sent: RequestSent): void {
    // The URL contains the whole response.
    if (sent.request.url.startsWith('data:')) return
    const hops = this.#hopsOf(key)
    const previous = hops.all.at(-1)
    if (previous !== undefined && sent.redirectResponse !== undefined) {
      previous.response = sent.redirectResponse
      previous.transferBytes = sent.redirectResponse.encodedDataLength
      previous.endedAt = sent.timestamp
    }
    const isDocument = sent.type === 'Document' && sent.requestId === sent.loaderId && sent.frameId === target.targetId
    if (isDocument && previous === undefined) this.#beginPage(target, sent)
    hops.all.push(emptyExchange(sent, this.#pageOfTarget.get(target.targetId)))
  }

  #beginPage(target: AttachedTarget, { request, wallTime }: RequestSent): void {
    const id = `page_${this.pages.length + 1}`
    const startedDateTime = new Date(wallTime * 1000).toISOString()
    this.pages.push({ startedDateTime, id, title: request.url, pageTimings: { onContentLoad: -1, onLoad: -1 } })
    this.#pageOfTarget.set(target.targetId, id)
  }

  #beginSocket(key: string, { requestId, url }: Readonly<Record<string, unknown>>): void {
    const request = { url: String(url), method: 'GET', headers: {} }
    const times = { timestamp: 0, wallTime: Date.now() / 1000 }
    const sent = { requestId: String(requestId), loaderId: '', type: 'WebSocket', request, ...times }
    this.#hopsOf(key).all.push({ ...emptyExchange(sent, undefined), messages: [] })
  }

  #updateExchange(key: string, method: string, params: Readonly<Record<string, unknown>>): void {
    const exchange = this.#open.get(key)?.all.at(-1)
    if (exchange === undefined) return
    const response = params['response'] as CdpResponse | undefined
    switch (method) {
      case 'Network.responseReceived':
        exchange.response = response
        break
      case 'Network.dataReceived':
        exchange.contentBytes += Number(params['dataLength'])
        break
      case 'Network.webSocketWillSendHandshakeRequest': {
        const times = { timestamp: Number(params['timestamp']), wallTime: Number(params['wallTime']) }
        exchange.sent = { ...exchange.sent, ...times }
        exchange.sentHeaders = (params['request'] as { readonly headers: CdpHeaders }).headers
        break
      }
      case 'Network.webSocketHandshakeResponseReceived':
        if (response !== undefined) exchange.response = { ...response, mimeType: '', protocol: 'http/1.1' }
        break
      case 'Network.webSocketFrameSent':
      case 'Network.webSocketFrameReceived':
        addMessage(exchange, method === 'Network.webSocketFrameSent' ? 'send' : 'receive', params)
        break
      default:
    }
  }

  #finish(target: AttachedTarget, key: string, params: Readonly<Record<string, unknown>>): void {
    const exchange = this.#open.get(key)?.all.at(-1)
    if (exchange === undefined) return
    exchange.endedAt = Number(params['timestamp'])
    if ('errorText' in params) exchange.error = String(params['errorText'])
    if ('encodedDataLength' in params) exchange.transferBytes = Number(params['encodedDataLength'])
    if (exchange.messages !== undefined || exchange.error !== undefined) return this.#write(key)
    const work = this.#readBody(target, exchange).then((body) => {
      exchange.body = body
      this.#write(key)
    })
    this.#pending.add(work)
    void work.finally(() => this.#pending.delete(work))
  }

  async #readBody(target: AttachedTarget, { sent, contentBytes, response }: OpenExchange): Promise<Body> {
    if (!this.#options.withBodies) return { comment: bodiesNotRecorded }
    if (response === undefined || contentBytes === 0) return undefined
    if (!isText(response.mimeType)) return { comment: 'only text bodies are recorded' }
    if (contentBytes > maxBodyBytes) return { comment: `larger than ${maxBodyBytes} bytes` }
    try {
      const { body, base64Encoded } = await target.call('Network.getResponseBody', { requestId: sent.requestId })
      return { text: String(body), isBase64: base64Encoded === true }
    } catch {
      return { comment: 'the browser no longer has the body' }
    }
  }

  #write(key: string): void {
    const hops = this.#open.get(key)
    this.#open.delete(key)
    if (hops === undefined) return
    for (const [index, exchange] of hops.all.entries()) {
      exchange.sentHeaders ??= hops.sentHeaders[index]
      exchange.receivedHeaders ??= hops.receivedHeaders[index]
      if (!this.#options.withBodies) exchange.body ??= { comment: bodiesNotRecorded }
      const entry = toHarEntry(exchange, this.#options)
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      const start = this.#file.append(line)
      if (start === undefined) this.#skipped += 1
      else this.locations.push({ startedAt: entry.startedDateTime, start, length: line.length - 1 })
    }
  }
}

function emptyExchange(sent: RequestSent, pageref: string | undefined): OpenExchange {
  return {
    sent,
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

function addMessage(
  exchange: OpenExchange,
  type: WebSocketMessage['type'],
  params: Readonly<Record<string, unknown>>,
): void {
  if (exchange.messages === undefined || exchange.messages.length >= maxMessages) return
  const { opcode, payloadData } = params['response'] as { readonly opcode: number; readonly payloadData: string }
  const time = exchange.sent.wallTime + (Number(params['timestamp']) - exchange.sent.timestamp)
  exchange.messages = [...exchange.messages, { type, time, opcode, data: payloadData.slice(0, maxMessageLength) }]
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](json|xml)$|^application\/(javascript|x-javascript|ecmascript|x-www-form-urlencoded|graphql|x-ndjson)/i.test(
    mimeType,
  )
}
