import { addressesOf } from 'bowline/contract/fill-path'
import type { ApiVersion } from 'bowline/contract/paths'
import { socketRoutes } from 'bowline/contract/server-routes'
import { BowlineError } from 'bowline/kit/errors'

/** A WebSocket of the contract that a client requests. */
export interface RequestedSocket {
  readonly name: keyof typeof socketRoutes
  readonly version: ApiVersion
  /** Id of the session or job. */
  readonly id: string
  /** Token in the path. Undefined: the query has it. */
  readonly token: string | undefined
  /** Target of a CDP socket. Undefined: the browser. */
  readonly targetId: string | undefined
}

/**
 * Finds the WebSocket of a path. Fastify routes no upgrades. Throws ROUTE_NOT_FOUND.
 */
export function findSocket(pathname: string): RequestedSocket {
  for (const { pattern, name, version } of patterns) {
    const { id, token, targetId } = pattern.exec(pathname)?.groups ?? {}
    if (id !== undefined) return { name, version, id, token, targetId }
  }
  throw new BowlineError('ROUTE_NOT_FOUND', `No WebSocket route matches ${pathname}`)
}

const patterns = (Object.keys(socketRoutes) as (keyof typeof socketRoutes)[]).flatMap((name) =>
  addressesOf(socketRoutes[name]).map(({ path, version }) => ({
    name,
    version,
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  })),
)
