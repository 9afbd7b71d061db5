import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readProtocol } from '../../gateway/read-protocol.ts'
import { discoverTargets, type DiscoveredTarget } from '../../sessions/discover-targets.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { cdpUrls, type CdpUrls } from '../../sessions/urls.ts'
import type { AccessOf } from '../authorize.ts'
import { registerServerRoute } from '../register-route.ts'
import { requireLiveSession } from '../require-live-session.ts'

/** Dependencies of the discovery routes. */
export interface DiscoveryDeps {
  readonly sessions: Sessions
  readonly accessOf: AccessOf
  /** Returns the URL under which a client reached the server, without trailing slash. */
  readonly baseUrlOf: (request: FastifyRequest) => string
}

/**
 * Registers Chromium's HTTP endpoints below the path of a CDP URL, with which clients find the
 * WebSocket to connect to. Their URLs contain the token where the request has it. Only connecting
 * counts as use of the session.
 */
export function registerDiscovery(app: FastifyInstance, { sessions, accessOf, baseUrlOf }: DiscoveryDeps): void {
  const open = async (request: FastifyRequest): Promise<{ session: LiveSession; urls: CdpUrls }> => {
    const session = await requireLiveSession(sessions, accessOf(request, 'controlToken'))
    const { token } = request.params as { readonly token?: string }
    return { session, urls: cdpUrls(baseUrlOf(request), session.row, token === undefined ? 'query' : 'path') }
  }

  registerServerRoute(app, 'cdpVersion', {
    handler: async (request) => {
      const { session, urls } = await open(request)
      return describeBrowser(session, urls)
    },
  })

  registerServerRoute(app, 'cdpTargets', {
    handler: async (request) => {
      const { session, urls } = await open(request)
      const targets = await discoverTargets(session)
      return targets.map((target) => describeTarget(target, urls.ofTarget(target.id)))
    },
  })

  registerServerRoute(app, 'cdpProtocol', {
    handler: async (request, reply) => {
      await open(request)
      return reply.type('application/json; charset=utf-8').send(readProtocol())
    },
  })
}

async function describeBrowser({ browser }: LiveSession, urls: CdpUrls) {
  const { product, protocolVersion, revision, userAgent, jsVersion } = await browser.router.call('Browser.getVersion')
  const webKit = /AppleWebKit\/([\d.]+)/.exec(userAgent)?.[1] ?? '537.36'
  return {
    Browser: product,
    'Protocol-Version': protocolVersion,
    'User-Agent': userAgent,
    'V8-Version': jsVersion,
    'WebKit-Version': `${webKit} (${revision})`,
    webSocketDebuggerUrl: urls.browser,
  }
}

function describeTarget({ id, type, title, url, parentId }: DiscoveredTarget, webSocketDebuggerUrl: string) {
  const devtoolsFrontendUrl = frontendUrl(webSocketDebuggerUrl)
  return { description: '', devtoolsFrontendUrl, id, parentId, title, type, url, webSocketDebuggerUrl }
}

/**
 * Returns the URL of the DevTools that are built into Chrome, which shows the target. The hosted
 * ones would receive the token.
 */
function frontendUrl(webSocketUrl: string): string {
  const [scheme, address] = webSocketUrl.split('://')
  return `devtools://devtools/bundled/inspector.html?${scheme}=${encodeURIComponent(address ?? '')}`
}
