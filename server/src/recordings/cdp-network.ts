/** Headers as the browser tells them: several of one name are joined by line ends. */
export type CdpHeaders = Readonly<Record<string, string>>

/** `Network.Request`, as far as it is used. */
export interface CdpRequest {
  readonly url: string
  readonly urlFragment?: string
  readonly method: string
  readonly headers: CdpHeaders
  readonly postData?: string
}

/** `Network.ResourceTiming`: milliseconds after `requestTime` (in seconds), -1 where there was none. */
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

/** `Network.Response`, as far as it is used. */
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

/** `Network.requestWillBeSent`, as far as it is used. */
export interface RequestSent {
  readonly requestId: string
  readonly loaderId: string
  readonly frameId?: string
  readonly type?: string
  readonly request: CdpRequest
  readonly redirectResponse?: CdpResponse
  readonly redirectHasExtraInfo?: boolean
  /** Seconds of the browser's own clock. */
  readonly timestamp: number
  /** Seconds since the epoch. */
  readonly wallTime: number
}
