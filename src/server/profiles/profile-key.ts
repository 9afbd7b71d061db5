import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from '../../kit/errors.ts'
import { getOrCreateSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'

/** What profiles are encrypted with. */
export interface ProfileKey {
  readonly bytes: Buffer
  /** Tells keys apart and nothing about them. Stands beside each saved version. */
  readonly id: string
}

/**
 * The key for profiles: the configured one of 64 hexadecimal digits; else one that is made once and kept: in the data
 * directory (mode 0600) beside an embedded store, in the database when that is a PostgreSQL, so that all servers on it
 * share the key with nothing to set. Throws CONFIG_INVALID when the kept one is damaged.
 */
export const readProfileKey = async (options: {
  readonly configured: string | undefined
  readonly dataDir: string
  readonly store: Store
}): Promise<ProfileKey> => {
  const { configured, dataDir, store } = options
  if (configured !== undefined) return toKey(configured, 'the configured key')
  if (store.kind === 'postgres') {
    return toKey(await getOrCreateSetting(store.db, 'profile-key', makeKey), 'the key kept in the database')
  }
  const path = join(dataDir, 'profile-key')
  return toKey((await readFile(path, 'utf8').catch(async () => keepNewKey(path))).trim(), path)
}

const makeKey = (): string => randomBytes(32).toString('hex')

const keepNewKey = async (path: string): Promise<string> => {
  const key = makeKey()
  // `wx`: a key that is there but cannot be read must not be replaced, or every profile is lost.
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

const toKey = (hex: string, where: string): ProfileKey => {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new BowlineError('CONFIG_INVALID', `There are not 64 hexadecimal digits in ${where}, which encrypts profiles`)
  }
  const bytes = Buffer.from(hex, 'hex')
  return { bytes, id: createHash('sha256').update('bowline profile key id').update(bytes).digest('hex').slice(0, 16) }
}
