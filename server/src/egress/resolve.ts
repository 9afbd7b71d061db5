import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { abortable } from 'bowline/kit/abort'
import { normalizeHost } from './allow-list.ts'

/** Resolves a host name to addresses, preferred ones first. Rejects if there are none. */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>

/** Creates a resolver that combines concurrent lookups of the same name. */
export function createResolver(lookUp: Resolve = systemLookup): Resolve {
  const lookups = new Map<string, Promise<readonly string[]>>()
  return async (host, signal) => {
    if (isIP(host) !== 0) return [host]
    const name = normalizeHost(host)
    // RFC 6761: these names are always loopback, regardless of the name server. The order is that of
    // Chromium.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['::1', '127.0.0.1']
    const pending = lookups.get(name) ?? lookUp(name).finally(() => lookups.delete(name))
    lookups.set(name, pending)
    return abortable(pending, signal)
  }
}

const systemLookup: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
