import type { Kysely } from 'kysely'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { insertKey, type KeyRow } from '../../src/teams/key-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import type { NewSessionRow } from '../../src/sessions/session-queries.ts'
import { ensureTeam, updateTeam, type TeamRow } from '../../src/teams/team-queries.ts'

/** Creates a team with one API key. */
export async function makeTeam(
  db: Kysely<Database>,
  { credits, maxConcurrency }: { readonly credits?: number; readonly maxConcurrency?: number } = {},
): Promise<{ readonly team: TeamRow; readonly key: KeyRow }> {
  const team = await ensureTeam(db, { name: `team ${uuidV7()}` })
  await updateTeam(db, team.id, { credits: credits ?? null, maxConcurrency: maxConcurrency ?? null })
  const key = await insertKey(db, { teamId: team.id, name: 'key', hash: uuidV7(), prefix: 'bl-1234', role: 'member' })
  return { team, key }
}

/** Returns a session to admit. */
export function newSession(key: KeyRow, changes: Partial<NewSessionRow> = {}): NewSessionRow {
  return {
    id: uuidV7(),
    teamId: key.teamId,
    apiKeyId: key.id,
    nodeId: '00000000-0000-7000-8000-000000000001',
    ttlSeconds: 600,
    activityTtlSeconds: 300,
    streamWebView: true,
    onBrowserClose: 'disconnect',
    secret: 'secret',
    reservedCredits: 20,
    ...changes,
  }
}
