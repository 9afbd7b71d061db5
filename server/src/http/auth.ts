import { BowlineError } from 'bowline/kit/errors'
import { hashSecret } from 'bowline/kit/ids'
import { findKeyByHash, touchKeys, type KeyRow } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/** How long a key found in the store is trusted without asking again: a revoked key works at most this long elsewhere. */
const cacheMs = 5000

const cacheSize = 10_000

/** Finds out who calls. */
export interface Authenticator {
  /** The key behind an `Authorization` header. Throws UNAUTHORIZED. */
  readonly authenticate: (header: string | undefined) => Promise<KeyRow>
  /** Forgets what is cached: a key was revoked here. */
  readonly forget: () => void
  /** Writes down which keys were used since the last call. */
  readonly recordUse: () => Promise<void>
}

/** Checks bearer keys against their hashes in the store. */
export function createAuthenticator(store: Store): Authenticator {
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

  return {
    authenticate: async (header) => {
      if (header === undefined || header === '') throw new BowlineError('UNAUTHORIZED', 'Unauthorized')
      const token = header.split(' ')[1]
      if (token === undefined || token === '') throw new BowlineError('UNAUTHORIZED', 'Unauthorized: Token missing')
      const key = await find(token)
      if (key === undefined) throw new BowlineError('UNAUTHORIZED', 'Unauthorized: Invalid token')
      used.add(key.id)
      return key
    },
    forget: () => cache.clear(),
    recordUse: async () => {
      const ids = [...used]
      used.clear()
      if (ids.length > 0) await touchKeys(store.db, ids)
    },
  }
}
