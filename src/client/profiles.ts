import type { ProfileSummary, ProfileVersion, StorageState, StorageStateInput } from '../contract/profiles.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Manages profiles: browser state that sessions save for later ones. All methods except `list` and
 * `importState` reject with PROFILE_NOT_FOUND.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * await bowline.profiles.importState('shop', {
 *   cookies: [],
 *   origins: [
 *     { origin: 'https://example.com', localStorage: [{ name: 'theme', value: 'dark' }] },
 *   ],
 * })
 * const { origins } = await bowline.profiles.exportState('shop')
 * console.log(origins, await bowline.profiles.versions('shop'))
 * await bowline.profiles.delete('shop')
 * ```
 */
export interface Profiles {
  /** Lists the profiles of the team. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly ProfileSummary[]>
  /** Returns a profile by its name. */
  readonly get: (name: string, requestOptions?: Abortable) => Promise<ProfileSummary>
  /**
   * Deletes a profile with all its versions. Rejects with PROFILE_LOCKED while a session writes it.
   */
  readonly delete: (name: string, requestOptions?: Abortable) => Promise<void>
  /** Lists the stored versions, newest first. */
  readonly versions: (name: string, requestOptions?: Abortable) => Promise<readonly ProfileVersion[]>
  /**
   * Makes a stored version the current one. Rejects with PROFILE_LOCKED while a session writes the
   * profile.
   */
  readonly rollback: (name: string, version: number, requestOptions?: Abortable) => Promise<ProfileSummary>
  /** Returns cookies, localStorage and IndexedDB in the format of Playwright's `storageState`. */
  readonly exportState: (name: string, requestOptions?: Abortable) => Promise<StorageState>
  /**
   * Saves a `storageState` as a new version that contains nothing else. Creates the profile if it
   * does not exist. Rejects with PROFILE_LOCKED while a session writes it.
   */
  readonly importState: (name: string, state: StorageStateInput, requestOptions?: Abortable) => Promise<ProfileSummary>
}

/** Creates `bowline.profiles`. */
export function createProfiles(call: Call): Profiles {
  return {
    list: async (requestOptions = {}) => (await call('listProfiles', {}, requestOptions)).data,
    get: async (name, requestOptions = {}) => (await call('getProfile', { params: { name } }, requestOptions)).data,
    delete: async (name, requestOptions = {}) => {
      await call('deleteProfile', { params: { name } }, requestOptions)
    },
    versions: async (name, requestOptions = {}) =>
      (await call('listProfileVersions', { params: { name } }, requestOptions)).data,
    rollback: async (name, version, requestOptions = {}) =>
      (await call('rollBackProfile', { params: { name, version: String(version) } }, requestOptions)).data,
    exportState: async (name, requestOptions = {}) =>
      (await call('exportStorageState', { params: { name } }, requestOptions)).data,
    importState: async (name, state, requestOptions = {}) =>
      (await call('importStorageState', { params: { name }, body: state }, requestOptions)).data,
  }
}
