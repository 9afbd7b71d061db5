import { fillPath } from 'bowline/contract/fill-path'
import { serverRoutes, socketRoutes } from 'bowline/contract/server-routes'
import { expiringToken, sessionToken } from './tokens.ts'

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
  return {
    cdpUrl: cdpUrls(baseUrl, session, 'query').browser,
    liveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'view')}` : '',
    interactiveLiveViewUrl: session.streamWebView ? `${live}${sessionToken(session.secret, 'interact')}` : '',
  }
}

/** Returns a URL of the interactive live view of a tab, which opens until `expiresAtMs`. */
export function expiringLiveViewUrl(
  baseUrl: string,
  { id, secret }: { readonly id: string; readonly secret: string },
  { targetId, expiresAtMs }: { readonly targetId: string; readonly expiresAtMs: number },
): string {
  const url = new URL(baseUrl + fillPath(serverRoutes.liveView.path, { id }))
  url.searchParams.set('token', expiringToken(secret, 'interact', expiresAtMs))
  url.searchParams.set('tab', targetId)
  return url.href
}

/** WebSocket URLs of the browser of a session and of its targets. */
export interface CdpUrls {
  readonly browser: string
  readonly ofTarget: (targetId: string) => string
}

/** CDP URLs for clients that use `baseUrl`, with the token in the path or in the query. */
export function cdpUrls(
  baseUrl: string,
  { id, secret }: { readonly id: string; readonly secret: string },
  tokenPlace: 'path' | 'query',
): CdpUrls {
  const wsUrl = baseUrl.replace(/^http/, 'ws')
  const token = sessionToken(secret, 'control')
  const { cdp, cdpTarget, cdpWithPathToken, cdpTargetWithPathToken } = socketRoutes
  if (tokenPlace === 'path') {
    return {
      browser: `${wsUrl}${fillPath(cdpWithPathToken.path, { id, token })}`,
      ofTarget: (targetId) => `${wsUrl}${fillPath(cdpTargetWithPathToken.path, { id, token, targetId })}`,
    }
  }
  return {
    browser: `${wsUrl}${fillPath(cdp.path, { id })}?token=${token}`,
    ofTarget: (targetId) => `${wsUrl}${fillPath(cdpTarget.path, { id, targetId })}?token=${token}`,
  }
}
