import type { CreateKeyOptions, CreateKeyResponse, KeySummary } from '../contract/keys.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** The API keys of a server. Making and revoking takes an admin key. */
export interface Keys {
  /** Makes a key; `key` in the answer is shown this once. */
  readonly create: (options?: CreateKeyOptions, how?: Abortable) => Promise<CreateKeyResponse>
  readonly list: (how?: Abortable) => Promise<readonly KeySummary[]>
  /** Revokes a key by its id. Rejects with KEY_NOT_FOUND. */
  readonly revoke: (id: string, how?: Abortable) => Promise<KeySummary>
}

/** Makes the `keys` of a client. */
export function createKeys(call: Call): Keys {
  return {
    create: async (options = {}, how = {}) => call('createKey', { body: options }, how),
    list: async (how = {}) => (await call('listKeys', {}, how)).data,
    revoke: async (id, how = {}) => (await call('revokeKey', { params: { id } }, how)).data,
  }
}
