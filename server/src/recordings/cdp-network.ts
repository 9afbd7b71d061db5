/** Headers as in CDP. Several values of one name are joined by line breaks. */
export type CdpHeaders = Readonly<Record<string, string>>

/** The used fields of `Network.Request`. */
export interface CdpRequest {
  readonly url: string
  readonly urlFragment?: string
  readonly method: string
  readonly headers: CdpHeaders
  readonly postData?: string
}

/**
 * `Network.ResourceTiming`. Values are milliseconds after `requestTime` (in seconds), -1 if the
 * phase did not occur.
 */
export interface CdpTiming {
  readonly requestTime: number
  readonly dnsStart: number
  readonly dnsEnd: number
  readonly connectStart: number
  readonly connectEnd: number
  readonly sslStart: number
  readonly sslEnd: number
  readonly sendStart: number
  readonly sendEnd: number
  readonly receiveHeadersEnd: number
}

/** The used fields of `Network.Response`. */
export interface CdpResponse {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: CdpHeaders
  readonly mimeType: string
  readonly protocol?: string
  readonly remoteIPAddress?: string
  readonly connectionId?: number
  readonly timing?: CdpTiming
  readonly encodedDataLength?: number
}

/** The used fields of the event `Network.requestWillBeSent`. */
export interface RequestSent {
  readonly requestId: string
  readonly loaderId: string
  readonly frameId?: string
  readonly type?: string
  readonly request: CdpRequest
  readonly redirectResponse?: CdpResponse
  readonly redirectHasExtraInfo?: boolean
  /** Seconds on the browser's monotonic clock. */
  readonly timestamp: number
  /** Seconds since the epoch. */
  readonly wallTime: number
}
