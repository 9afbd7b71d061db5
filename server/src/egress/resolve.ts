import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { abortable, mergeSignals } from 'bowline/kit/abort'
import { FairQueue } from '../kit/fair-queue.ts'
import { threadPoolSize } from '../kit/thread-pool.ts'
import { normalizeHost } from './allow-list.ts'
import { currentLookupOwner } from '../kit/lookup-owner.ts'

/** Resolves a host name to addresses, preferred ones first. Rejects if there are none. */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>

/**
 * Creates a resolver that combines concurrent lookups of the same name. A name whose name server
 * does not respond occupies one of the few threads of `getaddrinfo` for many seconds. An owner may
 * therefore only use a part of them at once, and its other lookups wait.
 */
export function createResolver(
  lookUp: Resolve = systemLookup,
  { limits = lookupLimits(), closed }: ResolverOptions = {},
): Resolve {
  const running = new Map<string, Promise<readonly string[]>>()
  const queue = new FairQueue(limits.total, limits.perOwner)
  const start = async (name: string): Promise<readonly string[]> => {
    const started = running.get(name) ?? lookUp(name).finally(() => running.delete(name))
    running.set(name, started)
    return started
  }
  return async (host, signal) => {
    if (isIP(host) !== 0) return [host]
    const name = normalizeHost(host)
    // RFC 6761: these names are always loopback, regardless of the name server. The order is that of
    // Chromium.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['::1', '127.0.0.1']
    const ended = mergeSignals(signal, closed)
    // Not of a lookup that waits: another owner may have many before it.
    const pending = running.get(name) ?? queue.run(currentLookupOwner(), async () => start(name), ended)
    return abortable(pending, ended)
  }
}

/** Options of `createResolver`. */
export interface ResolverOptions {
  /** Default: by the size of the thread pool. */
  readonly limits?: LookupLimits | undefined
  /** Ends all lookups, so that none starts after the server has stopped. */
  readonly closed?: AbortSignal | undefined
}

/** How many lookups may run at once. */
export interface LookupLimits {
  readonly total: number
  readonly perOwner: number
}

/**
 * Returns the limits for the thread pool of this process, of which lookups get half. In the pool of
 * four threads that Node.js has by default, a quarter would be a single lookup.
 */
function lookupLimits(): LookupLimits {
  const total = Math.max(3, Math.ceil(threadPoolSize() / 2))
  return { total, perOwner: Math.max(2, Math.ceil(total / 4)) }
}

const systemLookup: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
