import type { SecretOptions } from 'bowline/contract/secrets'
import { BowlineError } from 'bowline/kit/errors'
import type { Store } from '../store/store.ts'
import { decryptValue, encryptValue } from './encrypt-value.ts'
import { coversManyOwners, normalizeOrigin } from './secret-origins.ts'
import {
  findSecret,
  listSecrets,
  listSecretsOfKeys,
  putSecret,
  removeSecret,
  replaceValue,
  type SecretKey,
  type SecretRow,
} from './secret-queries.ts'
import { parseTotp, totpAt } from './totp.ts'

/** Dependencies of `Secrets`. */
export interface SecretsDeps {
  readonly store: Store
  /** Encrypts the values. */
  readonly key: SecretsKey
}

/** A key of 32 bytes with its id, and earlier keys, which only decrypt. */
export interface SecretsKey {
  readonly bytes: Buffer
  readonly id: string
  readonly previous?: readonly Omit<SecretsKey, 'previous'>[]
}

/** A secret without its value. */
export type SecretFacts = Omit<SecretRow, 'value' | 'keyId'>

/** The secrets of teams. Their values are encrypted, and bound to the name, kind and origins. */
export class Secrets {
  readonly #deps: SecretsDeps

  constructor(deps: SecretsDeps) {
    this.#deps = deps
  }

  /** Creates or replaces a secret. Throws SECRET_INVALID or SECRET_QUOTA_EXCEEDED. */
  async set({ teamId, name }: SecretKey, { value, kind = 'text', origins }: SecretOptions): Promise<SecretFacts> {
    const { store, key } = this.#deps
    const shared = origins.find(coversManyOwners)
    if (shared !== undefined) {
      throw invalid(`\`origins\`: ${JSON.stringify(shared)} covers hosts of different owners`)
    }
    const fault = kind === 'totp' ? parseTotp(value) : undefined
    if (typeof fault === 'string') throw invalid(`\`value\` ${fault}`)
    const facts = { teamId, name, kind, origins: [...new Set(origins.map(normalizeOrigin))] }
    const encrypted = encryptValue(value, key.bytes, bindingOf(facts)).toString('base64')
    const row = await putSecret(store.db, { ...facts, value: encrypted, keyId: key.id }, maxSecrets)
    if (row !== undefined) return row
    throw new BowlineError('SECRET_QUOTA_EXCEEDED', `A team can have at most ${maxSecrets} secrets`)
  }

  /** Lists the secrets of a team by name. */
  async list(teamId: string): Promise<readonly SecretFacts[]> {
    return listSecrets(this.#deps.store.db, teamId)
  }

  /** Finds a secret. Throws SECRET_NOT_FOUND. */
  async get(key: SecretKey): Promise<SecretFacts> {
    return this.#find(key)
  }

  /** Deletes a secret. Throws SECRET_NOT_FOUND. */
  async delete(key: SecretKey): Promise<void> {
    if (!(await removeSecret(this.#deps.store.db, key))) throw notFound(key)
  }

  /**
   * Returns what to type for a secret: its text, or the current one-time password. Throws
   * SECRET_NOT_FOUND or SECRET_UNREADABLE.
   */
  async reveal(key: SecretKey): Promise<{ readonly text: string; readonly origins: readonly string[] }> {
    const row = await this.#find(key)
    const value = this.#decrypt(row)
    const seed = row.kind === 'totp' && value !== undefined ? parseTotp(value) : undefined
    if (value === undefined || typeof seed === 'string') throw unreadable(row, this.#deps.key.id)
    return { text: seed === undefined ? value : totpAt(seed, Date.now()), origins: row.origins }
  }

  /** Encrypts the values of earlier keys with the current key. Returns their number. */
  async reencrypt(): Promise<number> {
    const { store, key } = this.#deps
    const previousIds = (key.previous ?? []).map(({ id }) => id)
    let count = 0
    for (const row of await listSecretsOfKeys(store.db, previousIds)) {
      const value = this.#decrypt(row)
      if (value === undefined) continue
      const encrypted = encryptValue(value, key.bytes, bindingOf(row)).toString('base64')
      if (await replaceValue(store.db, row, { value: encrypted, keyId: key.id })) count += 1
    }
    return count
  }

  #decrypt(row: SecretRow): string | undefined {
    const { key } = this.#deps
    const used = [key, ...(key.previous ?? [])].find(({ id }) => id === row.keyId) ?? key
    return decryptValue(Buffer.from(row.value, 'base64'), used.bytes, bindingOf(row))
  }

  async #find(key: SecretKey): Promise<SecretRow> {
    const row = await findSecret(this.#deps.store.db, key)
    if (row === undefined) throw notFound(key)
    return row
  }
}

const maxSecrets = 1000

/** Somebody who can write to the database cannot give the value to another team or origin. */
function bindingOf({ teamId, name, kind, origins }: Omit<SecretFacts, 'createdAt' | 'updatedAt'>): string {
  return JSON.stringify([teamId, name, kind, origins])
}

function invalid(message: string): BowlineError {
  return new BowlineError('SECRET_INVALID', message)
}

function notFound({ name }: SecretKey): BowlineError {
  return new BowlineError('SECRET_NOT_FOUND', `The team has no secret ${JSON.stringify(name.slice(0, 100))}`)
}

function unreadable({ name, keyId }: SecretRow, currentId: string): BowlineError {
  const reason = keyId === currentId ? 'was changed in the database' : 'was encrypted with another key of the server'
  return new BowlineError('SECRET_UNREADABLE', `The secret ${JSON.stringify(name)} ${reason}`)
}
