import { sha256 } from 'bowline/kit/sha256'

/**
 * Returns the hash by which a repeated request for a job is recognized. The name of the client
 * program does not count, since it has its version.
 */
export function hashRequest({ origin: _origin, integration: _integration, ...request }: ClientNames): string {
  return sha256(JSON.stringify(request)).toString('hex')
}

interface ClientNames {
  readonly origin?: unknown
  readonly integration?: unknown
}
