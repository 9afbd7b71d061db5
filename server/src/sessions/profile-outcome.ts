import type { SessionRow } from '../store/tables/sessions.ts'

/** Describes the profile of a session, with the result of saving it. Empty without a profile. */
export function profileOutcome({
  profileName: name,
  profileSave,
  profileVersion: version,
  profileError: error,
}: SessionRow) {
  return name === undefined ? {} : { profile: { name, saveChanges: profileSave === true, version, error } }
}
