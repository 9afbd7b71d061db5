import type { SessionSummary } from '../contract/browser.ts'
import { endReasonTitles, titleOf, titleOfStatus } from '../contract/titles.ts'

/** Words for the fields of a session. They are those of tables and of jobs. */
const titles: Readonly<Record<string, string>> = {
  cdpUrl: 'CDP URL',
  liveViewUrl: 'live view',
  interactiveLiveViewUrl: 'interactive live view',
  createdAt: 'created',
  lastActivity: 'last activity',
  expiresAt: 'expires',
  endedAt: 'ended',
  creditsBilled: 'credits',
  handoff: 'hand-off',
}

/** Fields that other facts contain: the status has the reason, and the URLs show the live view. */
const hidden: ReadonlySet<string> = new Set(['success', 'endReason', 'streamWebView'])

/** URLs that no longer work once a session has ended. */
const liveOnly: ReadonlySet<string> = new Set(['cdpUrl', 'liveViewUrl', 'interactiveLiveViewUrl'])

/** Names the facts of a session for `printFacts`. Fields of newer servers keep their names. */
export function sessionFacts(session: SessionSummary): Readonly<Record<string, unknown>> {
  const { sessionDurationMs, omittedOptions, profile, metadata, handoff, ...fields } = session
  const described = {
    ...fields,
    status: describeStatus(session),
    metadata: listValues(metadata),
    profile: profile && describeProfile(profile),
    handoff: handoff?.instructions,
    // The profile has a line of its own.
    options: listValues({ ...Object(fields['options']), profile: undefined }),
  }
  const facts = Object.entries(described).filter(
    ([name, value]) => !hidden.has(name) && value !== '' && (session.status === 'active' || !liveOnly.has(name)),
  )
  return {
    ...Object.fromEntries(facts.map(([name, value]) => [titleOf(titles, name), value])),
    duration: sessionDurationMs === undefined ? undefined : `${(sessionDurationMs / 1000).toFixed(1)} s`,
    'omitted options': Array.isArray(omittedOptions) ? omittedOptions.join(', ') || undefined : undefined,
  }
}

/** Lists values with their paths, such as `ttl=60, viewport.width=1280`. */
function listValues(values: object | undefined, parent = ''): string {
  return Object.entries(values ?? {})
    .map(([name, value]: readonly [string, unknown]) => {
      if (value === undefined) return ''
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return listValues(value, `${parent}${name}.`)
      }
      const text = Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(' ') : value
      return `${parent}${name}=${typeof text === 'string' ? text : JSON.stringify(text)}`
    })
    .filter((text) => text !== '')
    .join(', ')
}

/** Describes the profile of a session in the words of the dashboard. */
function describeProfile(profile: NonNullable<SessionSummary['profile']>): string {
  const { name, saveChanges, onlyOnSuccess, loadedVersion, version, error } = profile
  const facts = [
    savingOf(saveChanges, onlyOnSuccess),
    loadedVersion === null && 'started empty',
    typeof loadedVersion === 'number' && `started from version ${loadedVersion}`,
    version !== undefined && `saved as version ${version}`,
    error !== undefined && `not saved: ${error}`,
  ]
  return `${name} (${facts.filter((fact) => fact !== false).join(', ')})`
}

function savingOf(saveChanges: boolean, onlyOnSuccess = false): string {
  if (onlyOnSuccess) return 'saves changes on success'
  return saveChanges ? 'saves changes' : 'read-only'
}

/** Returns the status of a session with the reason of its end. */
export function describeStatus({ status, endReason }: Pick<SessionSummary, 'status' | 'endReason'>): string {
  const title = titleOfStatus(status)
  return endReason === undefined ? title : `${title} (${titleOf(endReasonTitles, endReason)})`
}
