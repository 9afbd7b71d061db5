import { sessionToken } from './tokens.ts'

/** The addresses of a session. Each carries a token that is a capability for this session alone. */
export interface SessionUrls {
  readonly cdpUrl: string
  readonly liveViewUrl: string
  readonly interactiveLiveViewUrl: string
}

/** Addresses of a session as clients that came through `baseUrl` (no trailing slash) reach it. */
export const sessionUrls = (
  baseUrl: string,
  session: { readonly id: string; readonly secret: string },
): SessionUrls => {
  const live = `${baseUrl}/live/${session.id}?token=`
  return {
    cdpUrl: `${baseUrl.replace(/^http/, 'ws')}/v2/browser/${session.id}/cdp?token=${sessionToken(session.secret, 'control')}`,
    liveViewUrl: `${live}${sessionToken(session.secret, 'view')}`,
    interactiveLiveViewUrl: `${live}${sessionToken(session.secret, 'interact')}`,
  }
}
