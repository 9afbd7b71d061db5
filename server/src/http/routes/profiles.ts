import type { AuditEvent, AuditLog } from '../../audit/audit-log.ts'
import type { Profiles } from '../../profiles/profiles.ts'
import { exportState, importState, type StateDeps } from '../../sessions/storage-state/storage-state.ts'
import type { ProfileSummary, ProfileVersionRow } from '../../profiles/profile-queries.ts'
import { callerOf } from '../audit-caller.ts'
import { abortOnDisconnect, type DisconnectSignal } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the profile routes. */
export interface ProfileRouteDeps {
  readonly profiles: Profiles
  readonly states: StateDeps
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of profiles. */
export function profileHandlers({ profiles, states, audit }: ProfileRouteDeps): Handlers {
  const refOf = ({ name }: { readonly name: string }, { key }: Call) => ({ teamId: key.teamId, name })
  const stateRef = (params: { readonly name: string }, call: Call, { signal }: DisconnectSignal) => ({
    ...refOf(params, call),
    apiKeyId: call.key.id,
    signal,
  })
  const record = async (
    call: Call,
    event: Pick<AuditEvent, 'action' | 'message'>,
    details: { readonly profileName: string; readonly version?: number | undefined },
  ): Promise<void> =>
    audit.record({ action: event.action, message: event.message, teamId: call.key.teamId, details, by: callerOf(call) })

  return {
    listProfiles: async (_input, { key }) => ({ success: true, data: (await profiles.list(key.teamId)).map(summary) }),
    getProfile: async ({ params }, call) => ({ success: true, data: summary(await profiles.get(refOf(params, call))) }),
    deleteProfile: async ({ params }, call) => {
      await profiles.delete(refOf(params, call))
      await record(call, { action: 'profile.deleted', message: 'Profile deleted' }, { profileName: params.name })
      return { success: true }
    },
    listProfileVersions: async ({ params }, call) => {
      const { currentVersion } = await profiles.get(refOf(params, call))
      const versions = await profiles.versions(refOf(params, call))
      return { success: true, data: versions.map((row) => describeVersion(row, currentVersion)) }
    },
    rollBackProfile: async ({ params: { name, version } }, call) => {
      const profile = await profiles.rollBack(refOf({ name }, call), version)
      const event = { action: 'profile.rolled-back', message: 'Profile rolled back' } as const
      await record(call, event, { profileName: name, version })
      return { success: true, data: summary(profile) }
    },
    exportStorageState: async ({ params }, call) => {
      using caller = abortOnDisconnect(call.raw)
      const state = await exportState(states, stateRef(params, call, caller))
      // Its cookies grant access like passwords.
      await record(call, { action: 'profile.exported', message: 'Profile exported' }, { profileName: params.name })
      return { success: true, data: state }
    },
    importStorageState: async ({ params, body }, call) => {
      using caller = abortOnDisconnect(call.raw)
      const { cookies = [], origins = [] } = body
      const { version, warning } = await importState(states, stateRef(params, call, caller), { cookies, origins })
      const event = { action: 'profile.imported', message: 'Profile imported' } as const
      await record(call, event, { profileName: params.name, version })
      // Another request can have deleted the profile meanwhile.
      const profile = summary(await profiles.get(refOf(params, call)))
      return { success: true, data: { ...profile, ...(warning === undefined ? {} : { warning }) } }
    },
  }
}

function summary(row: ProfileSummary) {
  return {
    name: row.name,
    version: row.currentVersion,
    versions: row.versions,
    contentBytes: row.current?.contentBytes,
    storedBytes: row.storedBytes,
    createdAt: row.createdAt.toISOString(),
    savedAt: row.current?.savedAt.toISOString(),
    isLocked: row.isLocked,
    lockedBy: row.isLocked ? row.leaseSessionId : undefined,
  }
}

function describeVersion(row: ProfileVersionRow, currentVersion: number | undefined) {
  return {
    version: row.version,
    isCurrent: row.version === currentVersion,
    contentBytes: row.contentBytes,
    storedBytes: row.storedBytes,
    savedAt: row.savedAt.toISOString(),
    browser: row.browser,
    sessionId: row.sessionId,
  }
}
