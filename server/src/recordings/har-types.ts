/** A header, cookie or parameter in HAR. */
export interface NameValue {
  readonly name: string
  readonly value: string
}

/** A cookie in HAR. */
export interface HarCookie extends NameValue {
  readonly path?: string
  readonly domain?: string
  readonly expires?: string
  readonly httpOnly?: boolean
  readonly secure?: boolean
}

/** A request and its response in HAR 1.2. */
export interface HarEntry {
  readonly pageref?: string
  readonly startedDateTime: string
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly httpVersion: string
    readonly cookies: readonly HarCookie[]
    readonly headers: readonly NameValue[]
    readonly queryString: readonly NameValue[]
    readonly postData?: { readonly mimeType: string; readonly params: readonly NameValue[]; readonly text: string }
    readonly headersSize: number
    readonly bodySize: number
  }
  readonly response: {
    readonly status: number
    readonly statusText: string
    readonly httpVersion: string
    readonly cookies: readonly HarCookie[]
    readonly headers: readonly NameValue[]
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text?: string
      readonly encoding?: string
      readonly comment?: string
    }
    readonly redirectURL: string
    readonly headersSize: number
    readonly bodySize: number
    readonly _transferSize: number
    readonly _error?: string
  }
  readonly cache: object
  readonly timings: HarTimings
  readonly serverIPAddress?: string
  readonly connection?: string
  readonly _resourceType: string
  readonly _webSocketMessages?: readonly WebSocketMessage[]
}

/** Milliseconds of each phase. -1 if it did not occur. */
export interface HarTimings {
  readonly blocked: number
  readonly dns: number
  readonly connect: number
  readonly ssl: number
  readonly send: number
  readonly wait: number
  readonly receive: number
}

/** A WebSocket message in the format of Chrome DevTools. */
export interface WebSocketMessage {
  readonly type: 'send' | 'receive'
  /** Seconds since the epoch. */
  readonly time: number
  readonly opcode: number
  readonly data: string
}
