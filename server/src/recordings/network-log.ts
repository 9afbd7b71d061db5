import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import { requestKeyOf } from '../cdp/request-key.ts'
import type { AttachedTarget } from '../cdp/targets.ts'
import { copyStart } from '../kit/copy-start.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { CdpHeaders, RequestSent } from './cdp-network.ts'
import { bodiesNotRecorded, toHarEntry, type Body } from './har-entry.ts'
import type { WebSocketMessage } from './har-types.ts'
import { isoTime } from '../kit/iso-time.ts'
import { addMessage, RedirectChain, type MutableExchange } from './redirect-chain.ts'
import { maxBodyBytes, readBody } from './response-body.ts'
import type { TempFile } from './temp-file.ts'

/** Options for the contents of the HAR file. */
export interface NetworkLogOptions {
  readonly withBodies: boolean
  readonly withSecrets: boolean
  /** Masks secrets that were typed by their names. */
  readonly mask: TextMask
}

/** Replaces secrets in texts. */
export interface TextMask {
  readonly isEmpty: boolean
  readonly applyToJson: <Value>(value: Value) => Value
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

/**
 * Maximum size in memory of the requests that have not ended, in bytes. A page can start any number
 * of requests that never end.
 */
const maxOpenBytes = 64_000_000

/**
 * Maximum number of requests of which only `ExtraInfo` events have arrived. Those events can come
 * shortly before their request, and after its end, when it is written already.
 */
const maxWithoutRequest = 1000

const maxTitleLength = 2000

/** Maximum number of pages, which are kept in memory. A page can load the next one in a loop. */
const maxPages = 5000

/** Time that `finish` waits for requested bodies. */
const bodiesTimeoutMs = 1000

/** Number of entries that `finish` writes before it lets other work run. */
const entriesPerTurn = 100

/** Writes the requests of a session to a file, one HAR entry per line, as they end. */
export class NetworkLog {
  readonly locations: EntryLocation[] = []
  readonly pages: HarPage[] = []
  readonly #file: TempFile
  readonly #options: NetworkLogOptions
  readonly #open = new Map<string, RedirectChain>()
  /** Keys of requests with `ExtraInfo` events only, oldest first. */
  readonly #withoutRequest = new Set<string>()
  readonly #pending = new Set<Promise<void>>()
  readonly #pageOfTarget = new Map<string, string>()
  #openBytes = 0
  /** Number of entries that exceeded a size limit. */
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
  receive(target: AttachedTarget, event: CdpEvent): void {
    const { method, params } = event
    switch (method) {
      case 'Network.requestWillBeSent':
        return this.#begin(target, params)
      case 'Network.requestWillBeSentExtraInfo':
        this.#keepHeaders(target, params)?.sentHeaders.push(params.headers)
        return
      case 'Network.responseReceivedExtraInfo':
        this.#keepHeaders(target, params)?.receivedHeaders.push(params.headers)
        return
      case 'Network.loadingFinished':
        return this.#endRequest(target, params, { transferBytes: params.encodedDataLength })
      case 'Network.loadingFailed':
        return this.#endRequest(target, params, { error: params.errorText })
      case 'Network.webSocketCreated':
        return this.#beginSocket(target, params)
      case 'Network.webSocketClosed':
        return this.#endRequest(target, params, {})
      default:
        this.#updateExchange(target, event)
    }
  }

  /** Writes the requests that have not ended, then closes the file. */
  async finish(): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, bodiesTimeoutMs)
    await Promise.race([Promise.allSettled(this.#pending), timeout.promise])
    clearTimeout(timer)
    for (const [index, key] of [...this.#open.keys()].entries()) {
      // Writing 10,000 entries takes more than a second.
      if (index % entriesPerTurn === entriesPerTurn - 1) await nextTurn()
      const last = this.#open.get(key)?.last
      if (last !== undefined && last.messages === undefined) last.error ??= 'the session ended before the response'
      this.#write(key)
    }
    await this.#file.close()
  }

  /**
   * Adds to the size of the requests with a key. Returns undefined if they are not recorded because
   * those that have not ended are too large.
   */
  #keep(key: string, bytes: number): RedirectChain | undefined {
    const chain = this.#open.get(key) ?? new RedirectChain()
    this.#open.set(key, chain)
    if (this.#openBytes + bytes > maxOpenBytes) {
      this.#forget(key)
      this.#skipped += 1
      return undefined
    }
    chain.bytes += bytes
    this.#openBytes += bytes
    return chain
  }

  /** Keeps the headers of an `ExtraInfo` event. */
  #keepHeaders(target: AttachedTarget, event: WithRequestId & SizedMessage): RedirectChain | undefined {
    const key = requestKeyOf(target, event)
    if (!this.#open.has(key)) this.#withoutRequest.add(key)
    const [oldest] = this.#withoutRequest
    if (this.#withoutRequest.size > maxWithoutRequest && oldest !== undefined) this.#forget(oldest)
    return this.#keep(key, sizeOf(event))
  }

  #forget(key: string): void {
    this.#withoutRequest.delete(key)
    this.#openBytes -= this.#open.get(key)?.bytes ?? 0
    this.#open.delete(key)
  }

  #begin(target: AttachedTarget, sent: RequestSent): void {
    // The URL contains the whole response.
    if (sent.request.url.startsWith('data:')) return
    const key = requestKeyOf(target, sent)
    this.#withoutRequest.delete(key)
    const { request, redirectResponse } = sent
    const bytes = sizeOf(request) + (redirectResponse === undefined ? 0 : sizeOf(redirectResponse))
    const chain = this.#keep(key, bytes)
    if (chain === undefined) return
    const isDocument = sent.type === 'Document' && sent.requestId === sent.loaderId && sent.frameId === target.targetId
    if (isDocument && chain.last === undefined) this.#beginPage(target, sent)
    chain.add(sent, this.#pageOfTarget.get(target.targetId))
  }

  #beginPage(target: AttachedTarget, { request, wallTime }: RequestSent): void {
    if (this.pages.length >= maxPages) return void this.#pageOfTarget.delete(target.targetId)
    const id = `page_${this.pages.length + 1}`
    const startedDateTime = isoTime(wallTime * 1000)
    const { url } = request
    const title = copyStart(this.#options.withSecrets ? url : withoutCredentials(url), maxTitleLength)
    this.pages.push({ startedDateTime, id, title, pageTimings: { onContentLoad: -1, onLoad: -1 } })
    this.#pageOfTarget.set(target.targetId, id)
  }

  #beginSocket(target: AttachedTarget, { requestId, url }: Protocol.Network.WebSocketCreatedEvent): void {
    const request = { url, method: 'GET', headers: {} }
    const times = { timestamp: 0, wallTime: Date.now() / 1000 }
    const sent = { requestId, loaderId: '', type: 'WebSocket', request, ...times } as const
    const key = requestKeyOf(target, sent)
    this.#withoutRequest.delete(key)
    const chain = this.#keep(key, sizeOf(request))
    if (chain !== undefined) chain.add(sent, undefined).messages = []
  }

  #updateExchange(target: AttachedTarget, { method, params }: CdpEvent): void {
    switch (method) {
      case 'Network.responseReceived':
        if (this.#open.has(requestKeyOf(target, params)))
          this.#keep(requestKeyOf(target, params), sizeOf(params.response))
        this.#update(target, params, (exchange) => {
          exchange.response = params.response
        })
        break
      case 'Network.dataReceived':
        this.#update(target, params, (exchange) => {
          exchange.contentBytes += params.dataLength
        })
        break
      case 'Network.webSocketWillSendHandshakeRequest':
        this.#update(target, params, (exchange) => {
          exchange.sent = { ...exchange.sent, timestamp: params.timestamp, wallTime: params.wallTime }
          exchange.sentHeaders = params.request.headers
        })
        break
      case 'Network.webSocketHandshakeResponseReceived':
        this.#update(target, params, (exchange) => {
          exchange.response = { ...params.response, mimeType: '', protocol: 'http/1.1' }
        })
        break
      case 'Network.webSocketFrameSent':
        this.#addMessage(target, 'send', params)
        break
      case 'Network.webSocketFrameReceived':
        this.#addMessage(target, 'receive', params)
        break
      default:
    }
  }

  #addMessage(
    target: AttachedTarget,
    type: 'send' | 'receive',
    params: Protocol.Network.WebSocketFrameReceivedEvent,
  ): void {
    const key = requestKeyOf(target, params)
    const exchange = this.#open.get(key)?.last
    if (exchange !== undefined) this.#keep(key, addMessage(exchange, type, params))
  }

  #update(target: AttachedTarget, params: WithRequestId, change: (exchange: MutableExchange) => void): void {
    const exchange = this.#open.get(requestKeyOf(target, params))?.last
    if (exchange !== undefined) change(exchange)
  }

  #endRequest(
    target: AttachedTarget,
    { requestId, timestamp }: WithRequestId & { readonly timestamp: number },
    outcome: Partial<Pick<MutableExchange, 'transferBytes' | 'error'>>,
  ): void {
    const key = requestKeyOf(target, { requestId })
    const exchange = this.#open.get(key)?.last
    if (exchange === undefined) return
    Object.assign(exchange, outcome, { endedAt: timestamp })
    if (exchange.messages !== undefined || exchange.error !== undefined) return this.#write(key)
    const reading = this.#options.withBodies ? readBody(target.call, exchange) : Promise.resolve(notRecorded)
    const write = (body: Body): void => {
      exchange.body = body
      this.#write(key)
    }
    // An unhandled rejection would end the server.
    const work = reading.then(write).catch(() => void (this.#skipped += 1))
    this.#pending.add(work)
    void work.finally(() => this.#pending.delete(work))
  }

  #write(key: string): void {
    const { mask } = this.#options
    const chain = this.#open.get(key)
    this.#forget(key)
    for (const exchange of chain?.list() ?? []) {
      if (!this.#options.withBodies) exchange.body ??= notRecorded
      if (!mask.isEmpty && exchange.body !== undefined && 'isBase64' in exchange.body && exchange.body.isBase64)
        exchange.body = notSearchable
      if (!mask.isEmpty) exchange.messages = exchange.messages?.map(withoutBase64)
      const entry = mask.applyToJson(toHarEntry(exchange, this.#options))
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      const start = this.#file.append(line)
      if (start === undefined) this.#skipped += 1
      else this.locations.push({ startedAt: entry.startedDateTime, start, length: line.length - 1 })
    }
  }
}

const notSearchable = { comment: 'not recorded: the encoding does not allow to mask secrets' } as const

/** Empties a binary message, which is in base64. */
function withoutBase64(message: WebSocketMessage): WebSocketMessage {
  return message.opcode === 1 ? message : { ...message, data: '' }
}

const notRecorded = { comment: bodiesNotRecorded } as const

interface WithRequestId {
  readonly requestId: string
}

interface SizedMessage {
  readonly url?: string
  readonly headers: CdpHeaders
  readonly postData?: string
}

/** Approximate size of a request or a response in memory, in bytes. */
function sizeOf({ url = '', headers, postData = '' }: SizedMessage): number {
  const start = 1000 + url.length + postData.length
  return Object.entries(headers).reduce((sum, [name, value]) => sum + 100 + name.length + value.length, start)
}
