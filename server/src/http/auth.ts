import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { hashSecret } from 'bowline/kit/ids'
import { findKeyByHash, setKeysLastUsed, type KeyRow } from '../teams/key-queries.ts'
import type { Store } from '../store/store.ts'
import type { AuthFailureLog } from './auth-failures.ts'
import type { RequestOrigin } from './request-origin.ts'

/**
 * Milliseconds a key is cached. A key revoked on another server keeps working for at most this
 * long.
 */
const cacheMs = 5000

const cacheSize = 10_000

/** Authenticates API keys. */
export interface Authenticator {
  /**
   * Returns the key of an `Authorization` header. Throws UNAUTHORIZED and logs the failure if the
   * origin of the request is known.
   */
  readonly authenticate: (header: string | undefined, from: RequestOrigin | undefined) => Promise<KeyRow>
  /** Clears the cache, after a key or a team has changed on this server. */
  readonly clearCache: () => void
  /** Stores the time of use of the keys used since the last call. */
  readonly storeKeyUse: () => Promise<void>
}

/** Creates an authenticator that looks up the hash of a bearer key in the store. */
export function createAuthenticator(store: Store, logFailure: AuthFailureLog): Authenticator {
  const cache = new Map<string, { readonly key: KeyRow; readonly untilMs: number }>()
  const used = new Set<string>()

  const find = async (token: string): Promise<KeyRow | undefined> => {
    const hash = hashSecret(token)
    const cached = cache.get(hash)
    if (cached !== undefined && cached.untilMs > performance.now()) return cached.key
    const key = await findKeyByHash(store.db, hash)
    if (cache.size >= cacheSize) cache.clear()
    if (key === undefined) cache.delete(hash)
    else cache.set(hash, { key, untilMs: performance.now() + cacheMs })
    return key
  }

  const keyOf = async (header: string | undefined): Promise<KeyRow> => {
    if (header === undefined || header === '') throw new BowlineError('UNAUTHORIZED', 'Unauthorized')
    const token = header.split(' ')[1]
    if (token === undefined || token === '') throw new BowlineError('UNAUTHORIZED', 'Unauthorized: Token missing')
    const key = await find(token)
    if (key === undefined) throw new BowlineError('UNAUTHORIZED', 'Unauthorized: Invalid token')
    return key
  }

  return {
    authenticate: async (header, from) => {
      try {
        const key = await keyOf(header)
        used.add(key.id)
        return key
      } catch (error) {
        if (from !== undefined && isBowlineError(error) && error.code === 'UNAUTHORIZED') logFailure(from)
        throw error
      }
    },
    clearCache: () => cache.clear(),
    storeKeyUse: async () => {
      const ids = [...used]
      used.clear()
      if (ids.length > 0) await setKeysLastUsed(store.db, ids)
    },
  }
}
