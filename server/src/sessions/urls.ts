import { fillPath } from 'bowline/contract/fill-path'
import { serverRoutes, socketRoutes } from 'bowline/contract/server-routes'
import { sessionToken } from './tokens.ts'

/** URLs of a session. Each contains a token that grants access to this session only. */
export interface SessionUrls {
  readonly cdpUrl: string
  /** Empty, like `interactiveLiveViewUrl`, for a session without a live view. */
  readonly liveViewUrl: string
  readonly interactiveLiveViewUrl: string
}

/** URLs of a session for clients that use `baseUrl` (no trailing slash). */
export function sessionUrls(
  baseUrl: string,
  session: { readonly id: string; readonly secret: string; readonly streamWebView: boolean },
): SessionUrls {
  const live = `${baseUrl}${fillPath(serverRoutes.liveView.path, session)}?token=`
  const cdp = `${baseUrl.replace(/^http/, 'ws')}${fillPath(socketRoutes.cdp.path, session)}?token=`
  return {
    cdpUrl: `${cdp}${sessionToken(session.secret, 'control')}`,
    liveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'view')}` : '',
    interactiveLiveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'interact')}` : '',
  }
}
