import { BowlineError } from 'bowline/kit/errors'
import { hashSecret, isUuid, newApiKey, uuidV7 } from 'bowline/kit/ids'
import { keyPrefix } from 'bowline/kit/key-prefix'
import { insertKey, listKeys, revokeKey, type KeyRow } from '../../teams/key-queries.ts'
import type { Agents } from '../../agent/agents.ts'
import type { AuditLog } from '../../audit/audit-log.ts'
import { callerOf } from '../audit-caller.ts'
import { ensureTeam, insertTeam, type TeamRow } from '../../teams/team-queries.ts'
import type { SessionQueue } from '../../sessions/session-queue.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { Authenticator } from '../auth.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the API key routes. */
export interface KeyRouteDeps {
  readonly store: Store
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly sessionQueue: SessionQueue
  readonly agents: Pick<Agents, 'cancelAgentsOfKey'>
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of API keys. */
export function keyHandlers(deps: KeyRouteDeps): Handlers {
  return {
    createKey: async ({ body }, call) => {
      const { key: caller } = call
      requireAdmin(caller)
      const team = await findOrCreateTeam(deps, body.team ?? caller.teamName, call)
      const key = newApiKey()
      const row = await insertKey(deps.store.db, {
        id: uuidV7(),
        teamId: team.id,
        name: body.name,
        hash: hashSecret(key),
        prefix: keyPrefix(key),
        role: body.role,
        mcp: body.mcp,
      })
      await deps.audit.record({ action: 'key.created', message: 'API key created', ...facts(row), by: callerOf(call) })
      return { success: true, key, data: summary(row) }
    },
    listKeys: async (_input, { key: caller }) => {
      const rows = await listKeys(deps.store.db, caller.role === 'admin' ? {} : { teamId: caller.teamId })
      return { success: true, data: rows.map(summary) }
    },
    revokeKey: async ({ params }, call) => {
      const { key: caller } = call
      requireAdmin(caller)
      if (params.id === caller.id) {
        throw new BowlineError('BAD_REQUEST', 'A key cannot revoke itself', { hint: 'Use another admin key.' })
      }
      const row = isUuid(params.id) ? await revokeKey(deps.store.db, params.id) : undefined
      if (row === undefined) throw new BowlineError('KEY_NOT_FOUND', `No API key with id ${JSON.stringify(params.id)}`)
      deps.authenticator.clearCache()
      await deps.audit.record({ action: 'key.revoked', message: 'API key revoked', ...facts(row), by: callerOf(call) })
      deps.sessionQueue.endWaitersOfKey(row.id)
      // Before its sessions: an agent would open another one.
      await deps.agents.cancelAgentsOfKey(row.id)
      await deps.sessions.endSessionsOfKey(row.id)
      return { success: true, data: summary(row) }
    },
  }
}

/** Returns the team of a new key. A team that does not exist is created without limits. */
async function findOrCreateTeam({ store, audit }: KeyRouteDeps, name: string, call: Call): Promise<TeamRow> {
  const created = await insertTeam(store.db, { name })
  if (created === undefined) return ensureTeam(store.db, { name })
  const event = { action: 'team.created', message: 'Team created' } as const
  await audit.record({ ...event, teamId: created.id, details: { name }, by: callerOf(call) })
  return created
}

/** Fields of a key for the audit log. */
function facts(row: KeyRow) {
  const { id: keyId, teamId, name, prefix, role, mcp } = row
  return { teamId, details: { keyId, name, prefix, role, ...(mcp === undefined ? {} : { mcp }) } }
}

function requireAdmin(key: KeyRow): void {
  if (key.role !== 'admin') throw new BowlineError('FORBIDDEN', 'Only an admin key may create or revoke keys')
}

function summary(row: KeyRow) {
  return {
    id: row.id,
    name: row.name,
    team: row.teamName,
    prefix: row.prefix,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    ...(row.lastUsedAt === undefined ? {} : { lastUsedAt: row.lastUsedAt.toISOString() }),
    ...(row.revokedAt === undefined ? {} : { revokedAt: row.revokedAt.toISOString() }),
    ...(row.mcp === undefined ? {} : { mcp: row.mcp }),
    ...(row.retiredAt === undefined ? {} : { retiredAt: row.retiredAt.toISOString() }),
  }
}
