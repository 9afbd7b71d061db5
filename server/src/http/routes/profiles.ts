import type { Profiles } from '../../profiles/profiles.ts'
import { exportState, importState, type StateDeps } from '../../sessions/storage-state/storage-state.ts'
import type { ProfileSummary, ProfileVersionRow } from '../../profiles/profile-queries.ts'
import { abortOnDisconnect, type DisconnectSignal } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the profile routes. */
export interface ProfileRouteDeps {
  readonly profiles: Profiles
  readonly states: StateDeps
}

/** Routes of profiles. */
export function profileHandlers({ profiles, states }: ProfileRouteDeps): Handlers {
  const refOf = ({ name }: { readonly name: string }, { key }: Call) => ({ teamId: key.teamId, name })
  const stateRef = (params: { readonly name: string }, call: Call, { signal }: DisconnectSignal) => ({
    ...refOf(params, call),
    apiKeyId: call.key.id,
    signal,
  })

  return {
    listProfiles: async (_input, { key }) => ({ success: true, data: (await profiles.list(key.teamId)).map(summary) }),
    getProfile: async ({ params }, call) => ({ success: true, data: summary(await profiles.get(refOf(params, call))) }),
    deleteProfile: async ({ params }, call) => {
      await profiles.delete(refOf(params, call))
      return { success: true }
    },
    listProfileVersions: async ({ params }, call) => {
      const { currentVersion } = await profiles.get(refOf(params, call))
      const versions = await profiles.versions(refOf(params, call))
      return { success: true, data: versions.map((row) => describeVersion(row, currentVersion)) }
    },
    rollBackProfile: async ({ params }, call) => ({
      success: true,
      data: summary(await profiles.rollBack(refOf(params, call), params.version)),
    }),
    exportStorageState: async ({ params }, call) => {
      using caller = abortOnDisconnect(call.raw)
      return { success: true, data: await exportState(states, stateRef(params, call, caller)) }
    },
    importStorageState: async ({ params, body }, call) => {
      using caller = abortOnDisconnect(call.raw)
      const { cookies = [], origins = [] } = body
      await importState(states, stateRef(params, call, caller), { cookies, origins })
      return { success: true, data: summary(await profiles.get(refOf(params, call))) }
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
