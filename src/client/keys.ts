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
export const createKeys = (call: Call): Keys => ({
  create: async (options = {}, { signal } = {}) => call('createKey', { body: options }, { signal }),
  list: async ({ signal } = {}) => (await call('listKeys', {}, { signal })).data,
  revoke: async (id, { signal } = {}) => (await call('revokeKey', { params: { id } }, { signal })).data,
})
