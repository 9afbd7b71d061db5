import { Agent, buildConnector } from 'undici'
import type { Connector, Route } from './connector.ts'

/** Options of `createEgressDispatcher`. */
export interface EgressDispatcherOptions {
  /** Default `basic`. */
  readonly route?: Route | undefined
  /** Options of undici's Agent, such as `bodyTimeout`. `connect` may hold TLS options. */
  readonly agent?: (Omit<Agent.Options, 'connect'> & { readonly connect?: buildConnector.BuildOptions }) | undefined
}

/**
 * Makes an undici dispatcher for the server's own requests. Every connection is judged, so redirects are, too. A refusal
 * rejects the request with EGRESS_REFUSED as the error's cause (`fetch`) or as the error (`request`). Both must be those of
 * the package undici: Node's own `fetch` takes no dispatcher of another version. Close it at the end.
 */
export function createEgressDispatcher(
  connector: Connector,
  { route = 'basic', agent: { connect: tls = {}, ...agent } = {} }: EgressDispatcherOptions = {},
): Agent {
  const secure = buildConnector(tls)
  return new Agent({
    ...agent,
    connect: (options, callback) => {
      const target = {
        host: options.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(options.port || (options.protocol === 'https:' ? 443 : 80)),
      }
      connector.connect(target, route).then(
        (socket) => {
          if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback)
          else callback(null, socket)
        },
        (error: unknown) => callback(Error.isError(error) ? error : new Error(String(error)), null),
      )
    },
  })
}
