import { sha256 } from 'bowline/kit/sha256'

/**
 * Returns the hash by which a repeated request for a job is recognized. Omits the name of the
 * client program, which contains its version.
 */
export function hashRequest({ origin: _origin, integration: _integration, ...request }: ClientNames): string {
  return sha256(JSON.stringify(request)).toString('hex')
}

interface ClientNames {
  readonly origin?: unknown
  readonly integration?: unknown
}
