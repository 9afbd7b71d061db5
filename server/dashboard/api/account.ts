import { keyPrefix } from 'bowline/kit/key-prefix'
import { createApi, type Api } from './api.ts'
import { readStored, writeStored } from './browser-storage.ts'

/** The signed-in account. */
export interface Account {
  readonly api: Api
  /** Whether the key can create and revoke keys. */
  readonly isAdmin: boolean
  /** Name of its team. Empty if keys of several teams share the prefix of this key. */
  readonly team: string
  /** Name of the key, or its prefix if several keys share it. */
  readonly keyName: string
  /** `undefined` if several keys share the prefix. */
  readonly keyId: string | undefined
}

/** Session storage: only this tab has the key, and it is removed when the tab is closed. */
const storageName = 'bowline.key'

/** Reads the account that a key belongs to. Throws an `ApiError` if the server rejects the key. */
export async function openAccount(key: string, onUnauthorized: () => void): Promise<Account> {
  const api = createApi(key, onUnauthorized)
  const { data } = await api.call('listKeys', {})
  const own = data.filter(({ prefix, revokedAt }) => key.startsWith(prefix) && revokedAt === undefined)
  const only = own.length === 1 ? own[0] : undefined
  const teams = new Set(own.map((each) => each.team))
  return {
    api,
    // If several keys share the prefix, any of them may be this one. The server decides.
    isAdmin: own.some(({ role }) => role === 'admin'),
    team: (teams.size === 1 ? own[0]?.team : undefined) ?? '',
    keyName: only?.name ?? `${keyPrefix(key)}…`,
    keyId: only?.id,
  }
}

/** The key that this tab is signed in with. */
export function rememberedKey(): string | undefined {
  return readStored('sessionStorage', storageName)
}

/** Stores the key for this tab. `undefined` removes it. */
export function rememberKey(key: string | undefined): void {
  return writeStored('sessionStorage', storageName, key)
}
