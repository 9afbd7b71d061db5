import type { ProfileSummary, ProfileVersion, StorageState, StorageStateInput } from '../contract/profiles.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** The profiles of a team: what sessions left for the next ones. All but `list` and `importState` reject with PROFILE_NOT_FOUND. */
export interface Profiles {
  readonly list: (how?: Abortable) => Promise<readonly ProfileSummary[]>
  readonly get: (name: string, how?: Abortable) => Promise<ProfileSummary>
  /** Deletes a profile with all its versions. Rejects with PROFILE_LOCKED while it is written. */
  readonly delete: (name: string, how?: Abortable) => Promise<void>
  /** The kept versions, newest first. */
  readonly versions: (name: string, how?: Abortable) => Promise<readonly ProfileVersion[]>
  /** Makes a kept version the current one. Rejects with PROFILE_LOCKED while the profile is written. */
  readonly rollback: (name: string, version: number, how?: Abortable) => Promise<ProfileSummary>
  /** Cookies, localStorage and IndexedDB in the form of Playwright's `storageState`. */
  readonly exportState: (name: string, how?: Abortable) => Promise<StorageState>
  /** Saves a `storageState` as a new version that holds nothing else; the profile is made when absent. Rejects with PROFILE_LOCKED. */
  readonly importState: (name: string, state: StorageStateInput, how?: Abortable) => Promise<ProfileSummary>
}

/** Makes the `profiles` of a client. */
export function createProfiles(call: Call): Profiles {
  return {
    list: async (how = {}) => (await call('listProfiles', {}, how)).data,
    get: async (name, how = {}) => (await call('getProfile', { params: { name } }, how)).data,
    delete: async (name, how = {}) => {
      await call('deleteProfile', { params: { name } }, how)
    },
    versions: async (name, how = {}) => (await call('listProfileVersions', { params: { name } }, how)).data,
    rollback: async (name, version, how = {}) =>
      (await call('rollBackProfile', { params: { name, version: String(version) } }, how)).data,
    exportState: async (name, how = {}) => (await call('exportStorageState', { params: { name } }, how)).data,
    importState: async (name, state, how = {}) =>
      (await call('importStorageState', { params: { name }, body: state }, how)).data,
  }
}
