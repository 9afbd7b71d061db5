import type { RoutePath } from './paths.ts'
import type { RouteAuth } from './route-auth.ts'

/** A route of a server outside the API: a probe, a page or a file. */
export interface ServerRoute extends Pick<RoutePath, 'method' | 'path' | 'aliases'> {
  readonly auth: RouteAuth
  /** Set if the server that runs session `{id}` handles the call. Default: any server. */
  readonly sessionNode?: 'required'
}

/** Paths of a session's CDP URL, without and with the token. */
const cdpPaths = ['', '/{token}'].flatMap((token) => [`/v2/browser/{id}/cdp${token}`, `/v2/interact/{id}/cdp${token}`])

/**
 * A `/json` route of Chromium's HTTP endpoints, below the path of a session's CDP URL. Playwright
 * appends a slash.
 */
function discoveryRoute(...suffixes: readonly string[]) {
  const [path = '', ...aliases] = suffixes.flatMap((suffix) =>
    cdpPaths.flatMap((cdpPath) => [`${cdpPath}${suffix}`, `${cdpPath}${suffix}/`]),
  )
  return { method: 'GET', path, aliases, auth: 'controlToken', sessionNode: 'required' } as const
}

/** Routes of a server outside the API. */
export const serverRoutes = {
  dashboard: { method: 'GET', path: '/', auth: 'none' },
  dashboardFile: { method: 'GET', path: '/dashboard/assets/{name}', auth: 'none' },
  openApi: { method: 'GET', path: '/openapi.json', auth: 'none' },
  apiReference: { method: 'GET', path: '/docs', auth: 'none' },
  liveness: { method: 'GET', path: '/livez', aliases: ['/v0/health/liveness'], auth: 'none' },
  readiness: { method: 'GET', path: '/readyz', aliases: ['/v0/health/readiness'], auth: 'optionalKey' },
  probe: { method: 'GET', path: '/e2e-test', auth: 'none' },
  metrics: { method: 'GET', path: '/metrics', auth: 'adminKeyOrMetricsToken' },
  liveView: { method: 'GET', path: '/live/{id}', auth: 'viewerToken', sessionNode: 'required' },
  liveViewFile: { method: 'GET', path: '/live/assets/{name}', auth: 'none' },
  /** Opening a link changes nothing, since mail clients prefetch links. */
  mailLink: { method: 'GET', path: '/monitor/email/{purpose}', auth: 'none' },
  followMailLink: { method: 'POST', path: '/monitor/email/{purpose}', auth: 'mailToken' },
  followMailLinkByApi: { method: 'POST', path: '/v2/monitor/email/{purpose}', auth: 'mailToken' },
  cdpVersion: discoveryRoute('/json/version'),
  cdpTargets: discoveryRoute('/json/list', '/json'),
  cdpProtocol: discoveryRoute('/json/protocol'),
  mcpCall: { method: 'POST', path: '/mcp', auth: 'key' },
  mcpStream: { method: 'GET', path: '/mcp', auth: 'key' },
  mcpEnd: { method: 'DELETE', path: '/mcp', auth: 'key' },
  /** The signature of the `uploadRef` in the query authorizes the upload. */
  parseUpload: { method: 'PUT', path: '/v2/parse/upload/{id}', auth: 'none' },
  scrapeFile: { method: 'GET', path: '/files/scrape/{id}/{name}', auth: 'scrapeFileToken' },
} as const satisfies Record<string, ServerRoute>

/** Name of a route outside the API. */
export type ServerRouteName = keyof typeof serverRoutes

/** A route of a WebSocket. */
export interface SocketRoute extends Omit<ServerRoute, 'method'>, Pick<RoutePath, 'v1Paths'> {}

/** Routes of WebSockets. */
export const socketRoutes = {
  cdp: {
    path: '/v2/browser/{id}/cdp',
    aliases: ['/v2/interact/{id}/cdp'],
    auth: 'controlToken',
    sessionNode: 'required',
  },
  /** For clients that drop the query of a URL. */
  cdpWithPathToken: {
    path: '/v2/browser/{id}/cdp/{token}',
    aliases: ['/v2/interact/{id}/cdp/{token}'],
    auth: 'controlToken',
    sessionNode: 'required',
  },
  /** CDP for one target. */
  cdpTarget: {
    path: '/v2/browser/{id}/cdp/devtools/page/{targetId}',
    aliases: ['/v2/interact/{id}/cdp/devtools/page/{targetId}'],
    auth: 'controlToken',
    sessionNode: 'required',
  },
  cdpTargetWithPathToken: {
    path: '/v2/browser/{id}/cdp/{token}/devtools/page/{targetId}',
    aliases: ['/v2/interact/{id}/cdp/{token}/devtools/page/{targetId}'],
    auth: 'controlToken',
    sessionNode: 'required',
  },
  liveView: { path: '/live/{id}/socket', auth: 'viewerToken', sessionNode: 'required' },
  watchBatch: {
    path: '/v2/batch/scrape/{id}',
    v1Paths: ['/v1/batch/scrape/{id}'],
    auth: 'keyAfterHandshake',
  },
  watchCrawl: { path: '/v2/crawl/{id}', v1Paths: ['/v1/crawl/{id}'], auth: 'keyAfterHandshake' },
} as const satisfies Record<string, SocketRoute>
