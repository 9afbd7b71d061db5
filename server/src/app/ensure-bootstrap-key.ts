import type { Logger } from 'pino'
import { hashSecret } from 'bowline/kit/ids'
import { keyPrefix } from 'bowline/kit/key-prefix'
import { ensureBootstrapKey as ensureKey, type KeyRow } from '../teams/key-queries.ts'
import type { Store } from '../store/store.ts'

/** Creates the bootstrap key of this server unless it exists. Logs a warning if it is revoked. */
export async function ensureBootstrapKey({ db }: Store, apiKey: string, log: Logger): Promise<KeyRow> {
  const key = await ensureKey(db, { hash: hashSecret(apiKey), prefix: keyPrefix(apiKey), teamName: 'default' })
  if (key.revokedAt !== undefined) {
    log.warn({ keyId: key.id, prefix: key.prefix }, 'The bootstrap key is revoked: requests with it are refused')
  }
  return key
}
