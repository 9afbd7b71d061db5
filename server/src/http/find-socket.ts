import { addressesOf } from 'bowline/contract/fill-path'
import type { ApiVersion } from 'bowline/contract/paths'
import { socketPaths } from 'bowline/contract/server-paths'
import { BowlineError } from 'bowline/kit/errors'

/** A WebSocket of the contract that a client requests. */
export interface RequestedSocket {
  readonly name: keyof typeof socketPaths
  readonly version: ApiVersion
  /** Id of the session or job. */
  readonly id: string
}

/**
 * Finds the WebSocket of a path. Fastify routes no upgrades. Throws ROUTE_NOT_FOUND.
 */
export function findSocket(pathname: string): RequestedSocket {
  for (const { pattern, name, version } of patterns) {
    const id = pattern.exec(pathname)?.groups?.['id']
    if (id !== undefined) return { name, version, id }
  }
  throw new BowlineError('ROUTE_NOT_FOUND', `No WebSocket route matches ${pathname}`)
}

const patterns = (Object.keys(socketPaths) as (keyof typeof socketPaths)[]).flatMap((name) =>
  addressesOf(socketPaths[name]).map(({ path, version }) => ({
    name,
    version,
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  })),
)
