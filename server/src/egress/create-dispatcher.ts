import { Agent, buildConnector } from 'undici'
import type { Connector, UpstreamChoice } from './connector.ts'

/** Options of `createEgressDispatcher`. */
export interface EgressDispatcherOptions {
  /** Default: `basic`. */
  readonly upstream?: UpstreamChoice | undefined
  /** Options of undici's Agent, such as `bodyTimeout`. `connect` accepts TLS options. */
  readonly agent?: (Omit<Agent.Options, 'connect'> & { readonly connect?: buildConnector.BuildOptions }) | undefined
}

/**
 * Creates an undici dispatcher for the server's own requests. Every connection is checked,
 * including those of redirects. A refused request rejects with EGRESS_REFUSED as the error's cause
 * (`fetch`) or as the error (`request`). Use `fetch` and `request` of the package undici: Node's
 * own `fetch` accepts no dispatcher of another version. The caller closes it.
 */
export function createEgressDispatcher(
  connector: Connector,
  { upstream = 'basic', agent: { connect: tls = {}, ...agent } = {} }: EgressDispatcherOptions = {},
): Agent {
  const secure = buildConnector(tls)
  return new Agent({
    ...agent,
    connect: (options, callback) => {
      const target = {
        host: options.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(options.port || (options.protocol === 'https:' ? 443 : 80)),
      }
      connector.connect(target, upstream).then(
        (socket) => {
          if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback)
          else callback(null, socket)
        },
        (error: unknown) => callback(Error.isError(error) ? error : new Error(String(error)), null),
      )
    },
  })
}
