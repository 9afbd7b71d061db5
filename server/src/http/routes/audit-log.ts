import type { AuditEntry } from 'bowline/contract/audit-log'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'
import type { AuditLog } from '../../audit/audit-log.ts'
import type { AuditRow } from '../../audit/audit-queries.ts'
import type { Store } from '../../store/store.ts'
import { findTeam, findTeamByName } from '../../teams/team-queries.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the route of the audit log. */
export interface AuditLogRouteDeps {
  readonly store: Store
  readonly audit: Pick<AuditLog, 'list'>
}

/** Route of the audit log. It needs an admin key. */
export function auditLogHandlers({ store, audit }: AuditLogRouteDeps): Handlers {
  return {
    auditLog: async ({ query: { action, team, from, to, limit, cursor } }, { key }) => {
      if (key.role !== 'admin') throw new BowlineError('FORBIDDEN', 'Only an admin key may read the audit log')
      const { rows, cursor: next } = await audit.list({
        action,
        teamId: team === undefined ? undefined : await idOfTeam(store, team),
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
        limit,
        cursor,
      })
      return { success: true, data: rows.map(entryOf), ...(next === undefined ? {} : { cursor: next }) }
    },
  }
}

async function idOfTeam({ db }: Store, idOrName: string): Promise<string> {
  const team = (isUuid(idOrName) ? await findTeam(db, idOrName) : undefined) ?? (await findTeamByName(db, idOrName))
  if (team === undefined) throw new BowlineError('TEAM_NOT_FOUND', `No team ${JSON.stringify(idOrName)}`)
  return team.id
}

function entryOf(row: AuditRow): AuditEntry {
  const { id, action, createdAt, teamName: team, byKeyId, keyName, keyTeamName, address, requestId, details } = row
  return {
    id,
    action,
    createdAt: createdAt.toISOString(),
    ...(team === undefined ? {} : { team }),
    ...(byKeyId === undefined ? {} : { by: { keyId: byKeyId, name: keyName, team: keyTeamName } }),
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
    details,
  }
}
