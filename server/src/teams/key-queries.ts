import { sql, type Kysely, type Selectable } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import { keyMcp, type KeyMcp } from 'bowline/contract/keys'
import { jsonb, JsonTable, type JsonRow } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'
import type { ApiKeyTable, KeyRole } from '../store/tables/accounts.ts'
import { ensureTeam } from './team-queries.ts'

const columns = { mcp: jsonb(keyMcp) }
const keys = new JsonTable('api_key', columns)

/** An API key with data of its team. */
export type KeyRow = JsonRow<Selectable<ApiKeyTable>, typeof columns> & {
  readonly teamName: string
  /** Rate limits of the team. `undefined`: the server's limits. */
  readonly teamRateLimits: string | undefined
}

/** A key to insert. Only its hash is stored. */
export interface NewKey {
  /** Default: a new UUID. */
  readonly id?: string | undefined
  readonly teamId: string
  readonly name: string
  /** SHA-256 of the key. */
  readonly hash: string
  /** First characters of the key, which identify it in lists. */
  readonly prefix: string
  readonly role: KeyRole
  readonly mcp?: KeyMcp | undefined
}

/** Inserts a key. */
export async function insertKey(db: Kysely<Database>, key: NewKey): Promise<KeyRow> {
  const { id = uuidV7(), teamId, name, hash, prefix, role, mcp } = key
  const row = await db
    .with('added', (query) =>
      query.insertInto('apiKey').values(keys.write({ id, teamId, name, hash, prefix, role, mcp })).returningAll(),
    )
    .selectFrom('added')
    .innerJoin('team', 'team.id', 'added.teamId')
    .selectAll('added')
    .select(['team.name as teamName', 'team.rateLimits as teamRateLimits'])
    .executeTakeFirstOrThrow()
  return readKey(row)
}

/**
 * Creates the configured key as an admin key of the named team unless it exists. A retired key
 * becomes valid again. A revoked key stays revoked and a member key a member key, so check
 * `revokedAt` and `role`.
 */
export async function ensureBootstrapKey(
  db: Kysely<Database>,
  key: { readonly hash: string; readonly prefix: string; readonly teamName: string },
): Promise<KeyRow> {
  const { hash, prefix, teamName } = key
  const team = await ensureTeam(db, { name: teamName })
  await db
    .insertInto('apiKey')
    .values({ id: uuidV7(), teamId: team.id, name: 'bootstrap', hash, prefix, role: 'admin', isBootstrap: true })
    .onConflict((conflict) =>
      conflict
        .column('hash')
        .doUpdateSet({ retiredAt: null })
        .where('apiKey.revokedAt', 'is', null)
        .where('apiKey.role', '=', 'admin'),
    )
    .execute()
  return readKey(await selectKeys(db).where('apiKey.hash', '=', hash).executeTakeFirstOrThrow())
}

/**
 * Makes a retired key valid again. Call it when a server that is configured with it has started.
 */
export async function reinstateKey(db: Kysely<Database>, id: string): Promise<void> {
  await db
    .updateTable('apiKey')
    .set({ retiredAt: null })
    .where('id', '=', id)
    .where('retiredAt', 'is not', null)
    .execute()
}

/**
 * Retires the bootstrap keys that no registered node is configured with. Returns the newly retired
 * ones.
 */
export async function retireBootstrapKeys(db: Kysely<Database>): Promise<readonly Pick<KeyRow, 'id' | 'prefix'>[]> {
  return db
    .updateTable('apiKey')
    .set({ retiredAt: sql<Date>`now()` })
    .where('isBootstrap', '=', true)
    .where('retiredAt', 'is', null)
    .where('revokedAt', 'is', null)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('node').select('node.id').whereRef('node.bootstrapKeyId', '=', 'apiKey.id'))),
    )
    .returning(['id', 'prefix'])
    .execute()
}

/** Returns the key with this hash, or `undefined` if there is none or it is revoked or retired. */
export async function findKeyByHash(db: Kysely<Database>, hash: string): Promise<KeyRow | undefined> {
  const key = await findKey(db, 'hash', hash)
  return key?.revokedAt === undefined && key?.retiredAt === undefined ? key : undefined
}

/** Lists the keys of one team or of all, including revoked ones, oldest first. */
export async function listKeys(
  db: Kysely<Database>,
  filter: { readonly teamId?: string | undefined } = {},
): Promise<readonly KeyRow[]> {
  const { teamId } = filter
  const rows = await selectKeys(db)
    .$if(teamId !== undefined, (query) => query.where('apiKey.teamId', '=', teamId ?? ''))
    .orderBy('apiKey.createdAt')
    .orderBy('apiKey.id')
    .execute()
  return rows.map(readKey)
}

/** Revokes a key permanently and returns it, or `undefined` if there is none. Idempotent. */
export async function revokeKey(db: Kysely<Database>, id: string): Promise<KeyRow | undefined> {
  await db
    .updateTable('apiKey')
    .set({ revokedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .execute()
  return findKey(db, 'id', id)
}

/** Returns whether a key has been revoked. */
export async function isKeyRevoked(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db.selectFrom('apiKey').select('revokedAt').where('id', '=', id).executeTakeFirst()
  return row !== undefined && row.revokedAt !== null
}

/** Sets the last use of keys to now, except for revoked ones. */
export async function setKeysLastUsed(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('apiKey')
    .set({ lastUsedAt: sql<Date>`now()` })
    .where('id', 'in', ids)
    .where('revokedAt', 'is', null)
    .execute()
}

/** `teamRateLimits` is not a column of the key, and null as well. */
function readKey(
  row: Selectable<ApiKeyTable> & { readonly teamName: string; readonly teamRateLimits: string | null },
): KeyRow {
  return { ...keys.read(row), teamName: row.teamName, teamRateLimits: row.teamRateLimits ?? undefined }
}

function selectKeys(db: Kysely<Database>) {
  return db
    .selectFrom('apiKey')
    .innerJoin('team', 'team.id', 'apiKey.teamId')
    .selectAll('apiKey')
    .select(['team.name as teamName', 'team.rateLimits as teamRateLimits'])
}

async function findKey(db: Kysely<Database>, column: 'id' | 'hash', value: string): Promise<KeyRow | undefined> {
  const row = await selectKeys(db).where(`apiKey.${column}`, '=', value).executeTakeFirst()
  return row && readKey(row)
}
