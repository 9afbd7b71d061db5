import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { EndReason, ListedStatus } from 'bowline/contract/browser'
import { escapeLike } from '../kit/escape-like.ts'
import type { ListPosition } from '../kit/page-cursor.ts'
import type { Database } from '../store/schema.ts'
import { toRow } from '../store/tables/row.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { metadataColumn, type SessionMetadata } from './session-labels.ts'

/** Lists sessions, newest first. */
export async function listSessions(
  db: Kysely<Database>,
  filter: {
    /** Default: sessions of all teams. */
    readonly teamId?: string | undefined
    /** `ended`: all but the active ones. */
    readonly status?: ListedStatus | undefined
    readonly endReason?: EndReason | undefined
    /** Name of the profile. */
    readonly profile?: string | undefined
    /** Name or id of the API key that created them. */
    readonly key?: string | undefined
    /** Start of the id, or part of the name, the profile or the metadata. */
    readonly search?: string | undefined
    /** Earliest creation, inclusive. */
    readonly from?: Date | undefined
    /** Latest creation, exclusive. */
    readonly to?: Date | undefined
    readonly name?: string | undefined
    /** Metadata that a session must have, all of them. */
    readonly metadata?: SessionMetadata | undefined
    /** The last session of the previous page. */
    readonly after?: ListPosition | undefined
    /** Maximum number of sessions. */
    readonly limit: number
  },
): Promise<readonly SessionRow[]> {
  let query = db.selectFrom('session').selectAll()
  if (filter.teamId !== undefined) query = query.where('teamId', '=', filter.teamId)
  if (filter.status === 'ended') query = query.where('status', '<>', 'active')
  else if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.endReason !== undefined) query = query.where('endReason', '=', filter.endReason)
  if (filter.profile !== undefined) query = query.where('profileName', '=', filter.profile)
  if (filter.key !== undefined) query = query.where(hasKey(filter.key))
  if (filter.search !== undefined) query = query.where(containsText(filter.search))
  if (filter.from !== undefined) query = query.where('createdAt', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('createdAt', '<', filter.to)
  if (filter.after !== undefined) {
    const { createdAt, id } = filter.after
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)`)
  }
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  const metadata = metadataColumn(filter.metadata)
  if (metadata !== undefined) query = query.where(sql<boolean>`metadata @> ${metadata}::jsonb`)
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(filter.limit).execute()
  return rows.map(toRow)
}

/** Whether a session was created with the API key of this name or id. */
function hasKey(key: string): RawBuilder<boolean> {
  return sql<boolean>`api_key_id in (select id from api_key where id::text = ${key} or name = ${key})`
}

/** Whether a session has this text in its labels or its profile, or an id that starts with it. */
function containsText(text: string): RawBuilder<boolean> {
  const escaped = escapeLike(text)
  return sql<boolean>`(id::text ilike ${`${escaped}%`} or name ilike ${`%${escaped}%`}
    or profile_name ilike ${`%${escaped}%`}
    or exists (select from jsonb_each_text(metadata) as label
      where label.key || '=' || label.value ilike ${`%${escaped}%`}))`
}
