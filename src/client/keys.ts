import type { CreateKeyOptions, CreateKeyResponse, KeySummary } from '../contract/keys.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Manages the API keys of a server. Creating and revoking keys requires an admin key.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { key, data } = await bowline.keys.create({ name: 'ci' })
 * console.log(key) // shown only once
 * await bowline.keys.revoke(data.id)
 * ```
 */
export interface Keys {
  /** Creates a key. `key` is not returned again. */
  readonly create: (options?: CreateKeyOptions, requestOptions?: Abortable) => Promise<CreateKeyResponse>
  /** Lists all keys of the team, without their secrets. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly KeySummary[]>
  /** Revokes a key by its id and ends its sessions. Rejects with KEY_NOT_FOUND. */
  readonly revoke: (id: string, requestOptions?: Abortable) => Promise<KeySummary>
}

/** Creates `bowline.keys`. */
export function createKeys(call: Call): Keys {
  return {
    create: async (options = {}, requestOptions = {}) => call('createKey', { body: options }, requestOptions),
    list: async (requestOptions = {}) => (await call('listKeys', {}, requestOptions)).data,
    revoke: async (id, requestOptions = {}) => (await call('revokeKey', { params: { id } }, requestOptions)).data,
  }
}
