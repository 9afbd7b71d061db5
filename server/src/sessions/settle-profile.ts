import { messageOf } from 'bowline/kit/message-of'
import type { ProfileSaveOutcome } from './bill.ts'
import { saveAtEnd } from './profile-browser.ts'
import type { EndRequest, SessionsDeps } from './session-deps.ts'
import { savesProfile, type Entry } from './session-entry.ts'
import { unsavedAtEnd } from './unsaved-profile.ts'

type OnError = SessionsDeps['onError']

/**
 * Saves the profile of an ending session or releases its lease. Returns what became of the changes,
 * or `undefined` if there were none to save. Never rejects.
 */
export async function settleProfile(
  entry: Entry,
  how: EndRequest,
  onError: OnError,
): Promise<ProfileSaveOutcome | undefined> {
  return savesProfile(entry, how) ? saveProfile(entry, how, onError) : discardProfile(entry, how, onError)
}

async function saveProfile(
  { session, profile }: Entry,
  { reason }: EndRequest,
  onError: OnError,
): Promise<ProfileSaveOutcome | undefined> {
  if (profile === undefined) return undefined
  const { browser, row } = session
  return saveAtEnd(profile, browser, { sessionId: row.id, reason }).catch((error: unknown) => {
    onError(error, `saving the profile of session ${row.id}`)
    return { error: messageOf(error) }
  })
}

async function discardProfile(
  { profile }: Entry,
  { reason, isUnclaimed }: EndRequest,
  onError: OnError,
): Promise<ProfileSaveOutcome | undefined> {
  const isUnsaved = profile?.isWritable === true && isUnclaimed !== true
  try {
    await profile?.[Symbol.asyncDispose]()
  } catch (error) {
    onError(error, 'releasing a profile lease')
  }
  return isUnsaved ? { error: unsavedAtEnd(reason, profile.loadedVersion ?? 0) } : undefined
}
