import type { Logger } from 'pino'
import { openBrowserHost, type BrowserHost } from '../browsers/host.ts'
import { openBrowserPool, type BrowserPool } from '../browsers/pool.ts'
import type { IsolationLayers } from '../browsers/isolation.ts'
import { browserSearchEnvironment, type ServerConfig } from '../config.ts'
import { openEgress, type Egress, type EgressSettings } from '../egress/egress.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Resolve } from '../egress/resolve.ts'
import { logIsolation } from './log-isolation.ts'

/** Settings of the browsers. */
export type BrowserSettings = Pick<ServerConfig, 'dataDir' | 'browser' | 'isolation' | 'warm'>

/** The browsers of this machine, and the proxy between them and the network. */
export interface OpenBrowsers {
  readonly host: BrowserHost
  readonly egress: Egress
  readonly browsers: BrowserPool
}

/** Finds a browser, probes its isolation, and opens the egress proxy and the pool of browsers. */
export async function openBrowsers(
  resources: AsyncDisposableStack,
  settings: { readonly browsers: BrowserSettings; readonly egress: EgressSettings },
  {
    resolve,
    isolation,
    signal,
  }: { resolve?: Resolve | undefined; isolation?: IsolationLayers | undefined; signal?: AbortSignal | undefined },
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
): Promise<OpenBrowsers> {
  const { dataDir, browser: choice, isolation: isolationMode, warm } = settings.browsers
  const environment = browserSearchEnvironment()
  const host = resources.use(await openBrowserHost({ dataDir, choice, isolationMode, isolation, environment }))
  signal?.throwIfAborted()
  logIsolation(log, host.isolation)
  const { allow, proxyBasic, proxyEnhanced, databases } = settings.egress
  const egress = resources.use(await openEgress({ allow, proxyBasic, proxyEnhanced, databases, resolve, log }))
  const { openProxyEndpoint } = egress
  const browsers = resources.use(openBrowserPool({ host, warm, launchOptions: { openProxyEndpoint }, metrics, log }))
  return { host, egress, browsers }
}
