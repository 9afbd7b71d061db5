import { sessionToken } from './tokens.ts'

/** The addresses of a session. Each carries a token that is a capability for this session alone. */
export interface SessionUrls {
  readonly cdpUrl: string
  /** Empty, as is the other one, for a session without a live view. */
  readonly liveViewUrl: string
  readonly interactiveLiveViewUrl: string
}

/** Addresses of a session as clients that came through `baseUrl` (no trailing slash) reach it. */
export function sessionUrls(
  baseUrl: string,
  session: { readonly id: string; readonly secret: string; readonly streamWebView: boolean },
): SessionUrls {
  const live = `${baseUrl}/live/${session.id}?token=`
  return {
    cdpUrl: `${baseUrl.replace(/^http/, 'ws')}/v2/browser/${session.id}/cdp?token=${sessionToken(session.secret, 'control')}`,
    liveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'view')}` : '',
    interactiveLiveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'interact')}` : '',
  }
}
