import type { EndReason } from 'bowline/contract/browser'

/**
 * Describes why the profile of a session was not saved. `loadedVersion`: the version that the
 * session started from, 0 if none was saved.
 */
export function unsaved(problem: string, loadedVersion: number | undefined): string {
  const kept = loadedVersion === 0 ? 'still has no saved version' : 'keeps its last saved version'
  return `${problem}: the profile ${kept}`
}

/**
 * Describes why a session that ended like this has not saved its profile: it saves it only on
 * success, or its server was lost.
 */
export function unsavedAtEnd(reason: EndReason, loadedVersion: number | undefined): string {
  return unsaved(problems[reason], loadedVersion)
}

const problems: Readonly<Record<EndReason, string>> = {
  deleted: 'The work of the session failed',
  ttl: 'The TTL of the session expired before its work had succeeded',
  idle: 'The activity TTL of the session expired before its work had succeeded',
  crashed: 'The browser crashed',
  drained: 'The server was shut down before the work of the session had succeeded',
  lost: 'The server that ran the session was lost',
  revoked: 'The API key of the session was revoked before its work had succeeded',
}
