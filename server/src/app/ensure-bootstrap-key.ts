import type { Logger } from 'pino'
import { BowlineError } from 'bowline/kit/errors'
import { hashSecret } from 'bowline/kit/ids'
import { keyPrefix } from 'bowline/kit/key-prefix'
import { ensureBootstrapKey as ensureKey, type KeyRow } from '../teams/key-queries.ts'
import type { Store } from '../store/store.ts'

/**
 * Creates the bootstrap key of this server unless it exists. Logs a warning if it is revoked.
 * Throws CONFIG_INVALID if it is a member key: a variable that is meant for clients must not make
 * it an admin key.
 */
export async function ensureBootstrapKey({ db }: Store, apiKey: string, log: Logger): Promise<KeyRow> {
  const key = await ensureKey(db, { hash: hashSecret(apiKey), prefix: keyPrefix(apiKey), teamName: 'default' })
  if (key.role !== 'admin') {
    const message = `The configured API key is the member key "${key.name}" of the team ${key.teamName}`
    throw new BowlineError('CONFIG_INVALID', message, {
      hint: 'The server reads `BOWLINE_API_KEY`, as clients do. Unset it to use the key in the data directory, or set it to an admin key.',
    })
  }
  if (key.revokedAt !== undefined) {
    log.warn({ keyId: key.id, prefix: key.prefix }, 'The bootstrap key is revoked: requests with it are refused')
  }
  return key
}
