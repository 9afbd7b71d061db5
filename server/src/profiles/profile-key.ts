import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { sha256 } from 'bowline/kit/sha256'
import { findSetting, getOrCreateSetting } from '../store/settings.ts'
import { describeCounts, neededKeyIds, opensNothing, unreadableWith, type EncryptedData } from './encrypted-data.ts'
import { countVersionsByKey } from './profile-queries.ts'
import type { Store, StoreLog } from '../store/store.ts'

/** A key of 32 bytes. */
export interface EncryptionKey {
  readonly bytes: Buffer
  /** Identifies the key without revealing it. Stored with everything it has encrypted. */
  readonly id: string
}

/** The key that encrypts profiles and secrets. */
export interface ProfileKey extends EncryptionKey {
  /** Earlier keys, which only decrypt. Default: none. */
  readonly previous?: readonly EncryptionKey[]
}

/** Returns the current or earlier key with this id. */
export function keyWithId(key: ProfileKey, id: string): EncryptionKey | undefined {
  return [key, ...(key.previous ?? [])].find((each) => each.id === id)
}

/**
 * Returns the key for profiles: the configured one of 64 hexadecimal digits, else one that is
 * generated once and stored. It is stored in the data directory (mode 0600) with the embedded
 * store, or in the PostgreSQL database, so that all its servers share the key. A stored key that
 * differs from the configured one is an earlier key, like those of `previous`.
 * A stored key is never replaced while profiles or secrets need it: throws PROFILE_KEY_MISSING if
 * it is gone, CONFIG_INVALID if it is malformed. Warns if profiles or secrets were saved with a key
 * that is unknown.
 */
export async function readProfileKey(options: {
  readonly configured: string | undefined
  /** Earlier keys, in hexadecimal digits. Default: none. */
  readonly previous?: readonly string[] | undefined
  readonly dataDir: string
  readonly store: Store
  /** Number of secrets by the id of their key. Default: none. */
  readonly secrets?: ReadonlyMap<string, number> | undefined
  readonly log?: StoreLog | undefined
}): Promise<ProfileKey> {
  const { configured, previous = [], dataDir, store, secrets = new Map(), log } = options
  const earlier = previous.map((hex) => toKey(hex, 'an earlier key'))
  const data = { versions: await countVersionsByKey(store.db), secrets }
  const isEmpty = describeCounts(data) === undefined
  if (configured !== undefined) {
    const stored = await findStoredKey(store, dataDir)
    const current = toKey(configured, 'the configured key')
    const key = withPrevious(current, stored === undefined ? earlier : [...earlier, stored])
    const unreadable = describeCounts(unreadableWith(key, data))
    if (unreadable !== undefined) {
      log?.warn(
        { keyId: key.id, neededKeyIds: neededKeyIds(key, data) },
        `${unreadable} were encrypted with another --profile-key and cannot be read: pass it with --previous-profile-keys`,
      )
    }
    return key
  }
  const isInDatabase = store.kind === 'postgres'
  const path = pathOf(dataDir)
  const location = isInDatabase ? 'the key stored in the database' : path
  const create = (): string => {
    if (!isEmpty) throw missing(data, `${location} does not exist`)
    return createKey()
  }
  const hex = isInDatabase
    ? await getOrCreateSetting(store.db, profileKeyName, create)
    : ((await readKeyFile(dataDir)) ?? (await storeNewKey(path, create())))
  const key = withPrevious(toKey(hex, location), earlier)
  if (!isEmpty && opensNothing(key, data)) throw missing(data, `${location} is a different key`)
  return key
}

/** Name of the file of the data directory, or of the setting in PostgreSQL, that has the key. */
export const profileKeyName = 'profile-key'

function pathOf(dataDir: string): string {
  return join(dataDir, profileKeyName)
}

/** Returns the key in a data directory, in hexadecimal digits, or `undefined`. */
export async function readKeyFile(dataDir: string): Promise<string | undefined> {
  const text = await readFile(pathOf(dataDir), 'utf8').catch(() => undefined)
  return text?.trim()
}

/** Returns the key that a server without a configured key has stored, if there is one. */
export async function findStoredKey(
  store: Pick<Store, 'kind' | 'db'>,
  dataDir: string,
): Promise<EncryptionKey | undefined> {
  const hex = store.kind === 'postgres' ? await findSetting(store.db, profileKeyName) : await readKeyFile(dataDir)
  return hex === undefined ? undefined : toKey(hex.trim(), 'the stored key')
}

function withPrevious(key: EncryptionKey, previous: readonly EncryptionKey[]): ProfileKey {
  return { ...key, previous: previous.filter(({ id }) => id !== key.id) }
}

function missing(data: EncryptedData, problem: string): BowlineError {
  return new BowlineError('PROFILE_KEY_MISSING', `The key that encrypts ${describeCounts(data)} is missing: ${problem}`)
}

function createKey(): string {
  return randomBytes(32).toString('hex')
}

async function storeNewKey(path: string, key: string): Promise<string> {
  // `wx`: an existing key that cannot be read must not be replaced, or every profile is lost.
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

/** Returns the id of a key of 64 hexadecimal digits. */
export function profileKeyId(hex: string): string {
  return idOf(Buffer.from(hex, 'hex'))
}

function idOf(bytes: Buffer): string {
  return sha256('bowline profile key id', bytes).toString('hex').slice(0, 16)
}

function toKey(hex: string, location: string): EncryptionKey {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new BowlineError('CONFIG_INVALID', `The profile key must have 64 hexadecimal digits: ${location} does not`)
  }
  const bytes = Buffer.from(hex, 'hex')
  return { bytes, id: idOf(bytes) }
}
