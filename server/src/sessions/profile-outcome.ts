import type { SessionRow } from '../store/tables/sessions.ts'
import { readOptions } from './session-options.ts'

/**
 * Describes the profile of a session, with the version that it has loaded and the result of saving
 * it. Empty without a profile.
 */
export function profileOutcome(row: SessionRow) {
  const { profileName: name, profileLoaded, profileVersion: version, profileError: error } = row
  if (name === undefined) return {}
  // Sessions of earlier versions have no entry. 0: no version was saved.
  const loadedVersion = profileLoaded === 0 ? null : profileLoaded
  const onlyOnSuccess = isSavedOnSuccess(row) || undefined
  return { profile: { name, saveChanges: row.profileSave === true, onlyOnSuccess, loadedVersion, version, error } }
}

function isSavedOnSuccess(row: SessionRow): boolean {
  // Options that cannot be read are reported where they are shown.
  const profile = readOptions(row, () => undefined)?.options['profile']
  return (
    typeof profile === 'object' && profile !== null && 'saveChanges' in profile && profile.saveChanges === 'on-success'
  )
}
