import type { KeySummary } from 'bowline/contract/keys'
import { createApi, type Api } from './call.ts'
import { readKept, writeKept } from './kept.ts'

/** Whoever has signed in. */
export interface Account {
  readonly api: Api
  /** Whether the key may make and revoke keys. */
  readonly isAdmin: boolean
  readonly team: string
  readonly keyName: string
  readonly keyId: string | undefined
}

/** What the tab remembers, and no other tab: the key is gone when it is closed. */
const storageName = 'bowline.key'

/** Finds out whose key it is. Throws a `Fault` when the server refuses it. */
export async function openAccount(key: string, onRefused: () => void): Promise<Account> {
  const api = createApi(key, onRefused)
  const { data } = await api.get<{ data: readonly KeySummary[] }>('/v2/team/keys')
  const own = data.filter(({ prefix, revokedAt }) => key.startsWith(prefix) && revokedAt === undefined)
  const [only] = own
  const isSure = own.length === 1
  return {
    api,
    // Where several keys start alike, the server decides what this one may do.
    isAdmin: own.some(({ role }) => role === 'admin'),
    team: only?.team ?? '',
    keyName: isSure && only !== undefined ? only.name : `${key.slice(0, 7)}…`,
    keyId: isSure ? only?.id : undefined,
  }
}

/** The key that this tab signed in with. */
export function rememberedKey(): string | undefined {
  return readKept('sessionStorage', storageName)
}

/** Keeps a key for this tab, or forgets it. */
export function rememberKey(key: string | undefined): void {
  return writeKept('sessionStorage', storageName, key)
}
