import type { Protocol } from '../cdp/protocol.ts'

/** Headers as in CDP. Several values of one name are joined by line breaks. */
export type CdpHeaders = Readonly<Protocol.Network.Headers>

/** The used fields of a request that was sent. */
export interface RequestSent extends Pick<
  Protocol.Network.RequestWillBeSentEvent,
  'requestId' | 'loaderId' | 'frameId' | 'type' | 'timestamp' | 'wallTime' | 'redirectResponse'
> {
  readonly request: Pick<Protocol.Network.Request, 'url' | 'method' | 'headers' | 'postData'>
}

/** The used fields of a response. That of a WebSocket has no timing. */
export type CdpResponse = Pick<Protocol.Network.Response, 'status' | 'statusText' | 'headers' | 'mimeType'> &
  Partial<Pick<Protocol.Network.Response, 'protocol' | 'remoteIPAddress' | 'connectionId' | 'timing'>>
