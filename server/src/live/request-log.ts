import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import { requestKeyOf } from '../cdp/request-key.ts'
import type { AttachedTarget } from '../cdp/targets.ts'
import { copyStart } from '../kit/copy-start.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { InspectedRequest } from './server-message.ts'

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] }

/** A request, and when it was sent by the browser's monotonic clock. */
interface OpenRequest {
  readonly shown: Mutable<InspectedRequest>
  readonly startSeconds: number
}

/** Options of a request log. */
export interface RequestLogOptions {
  /** Number of requests to keep. */
  readonly maxKept: number
  /** Masks secrets in a request. */
  readonly mask: (request: InspectedRequest) => InspectedRequest
  /** Called with each new request, and when one changes. */
  readonly onChange: (request: InspectedRequest) => void
}

const maxUrlLength = 2000

/** The last requests of a browser, without headers and bodies. */
export class RequestLog {
  readonly #options: RequestLogOptions
  /** All that are kept, by number, oldest first. */
  readonly #kept = new Map<number, string>()
  readonly #open = new Map<string, OpenRequest>()
  readonly #shown = new Map<number, InspectedRequest>()
  #lastNumber = 0

  constructor(options: RequestLogOptions) {
    this.#options = options
  }

  /** Lists the requests, oldest first. */
  list(): readonly InspectedRequest[] {
    return [...this.#shown.values()]
  }

  /** Handles a network event of a target. */
  receive(target: AttachedTarget, { method, params }: CdpEvent): void {
    switch (method) {
      case 'Network.requestWillBeSent':
        return this.#begin(requestKeyOf(target, params), params)
      case 'Network.webSocketCreated':
        return this.#add(requestKeyOf(target, params), { method: 'GET', url: params.url, kind: 'WebSocket' }, undefined)
      case 'Network.responseReceived':
        return this.#change(requestKeyOf(target, params), { status: params.response.status })
      case 'Network.webSocketHandshakeResponseReceived':
        return this.#change(requestKeyOf(target, params), { status: params.response.status })
      case 'Network.loadingFinished':
        return this.#end(requestKeyOf(target, params), params.timestamp, { bytes: params.encodedDataLength })
      case 'Network.loadingFailed':
        return this.#end(requestKeyOf(target, params), params.timestamp, { error: params.errorText })
      case 'Network.webSocketClosed':
        return this.#end(requestKeyOf(target, params), params.timestamp, {})
      default:
    }
  }

  #begin(key: string, sent: Protocol.Network.RequestWillBeSentEvent): void {
    const { request, redirectResponse, timestamp, type = 'Other' } = sent
    // The URL contains the whole response.
    if (request.url.startsWith('data:')) return
    if (redirectResponse !== undefined) this.#end(key, timestamp, { status: redirectResponse.status })
    this.#add(key, { method: request.method, url: request.url, kind: type }, sent)
  }

  #add(
    key: string,
    { method, url, kind }: Pick<InspectedRequest, 'method' | 'url' | 'kind'>,
    sent: Pick<Protocol.Network.RequestWillBeSentEvent, 'timestamp' | 'wallTime'> | undefined,
  ): void {
    const number = (this.#lastNumber += 1)
    const atMs = sent === undefined ? Date.now() : Math.round(sent.wallTime * 1000)
    const shown = { number, atMs, method, kind, url: copyStart(withoutCredentials(url), maxUrlLength) }
    this.#open.set(key, { shown: { ...this.#options.mask(shown) }, startSeconds: sent?.timestamp ?? 0 })
    this.#kept.set(number, key)
    this.#change(key, {})
    const [oldest] = this.#kept
    if (this.#kept.size > this.#options.maxKept && oldest !== undefined) this.#forget(...oldest)
  }

  #forget(number: number, key: string): void {
    this.#kept.delete(number)
    this.#shown.delete(number)
    if (this.#open.get(key)?.shown.number === number) this.#open.delete(key)
  }

  #change(key: string, changed: Partial<InspectedRequest>): void {
    const shown = this.#open.get(key)?.shown
    if (shown === undefined) return
    Object.assign(shown, changed)
    this.#shown.set(shown.number, shown)
    this.#options.onChange(shown)
  }

  #end(key: string, timestamp: number, outcome: Partial<InspectedRequest>): void {
    const startSeconds = this.#open.get(key)?.startSeconds ?? 0
    const durationMs = startSeconds === 0 ? undefined : Math.max(0, Math.round((timestamp - startSeconds) * 1000))
    this.#change(key, { ...outcome, isDone: true, ...(durationMs === undefined ? {} : { durationMs }) })
    this.#open.delete(key)
  }
}
