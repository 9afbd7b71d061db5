import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { writePrivate } from '../identity.ts'
import type { Store, StoreLog } from '../store/store.ts'

/** Says in the data directory that its server works on PostgreSQL. */
const markerName = 'uses-postgres'

/** Throws CONFIG_INVALID when the server that owns the data directory worked on PostgreSQL and would now start empty. */
export async function assertEmbeddedStoreExpected(dataDir: string): Promise<void> {
  if (!(await exists(join(dataDir, markerName))) || (await exists(join(dataDir, 'pg')))) return
  throw new BowlineError(
    'CONFIG_INVALID',
    `The server with the data directory ${dataDir} used PostgreSQL, and no \`--database-url\` is set: it would start empty`,
    {
      hint: `Set DATABASE_URL or \`--database-url\`. To start with an empty embedded database, delete ${join(dataDir, markerName)} first.`,
    },
  )
}

/**
 * Throws CONFIG_INVALID when the data directory holds an embedded database and the PostgreSQL database is still empty:
 * teams, keys and profiles would be missing. Warns when PostgreSQL is in use and the embedded database is ignored.
 */
export async function assertPostgresExpected({ db }: Pick<Store, 'db'>, dataDir: string, log: StoreLog): Promise<void> {
  const folder = join(dataDir, 'pg')
  if (await exists(folder)) {
    const key = await db.selectFrom('apiKey').select('id').limit(1).executeTakeFirst()
    if (key === undefined) {
      throw new BowlineError(
        'CONFIG_INVALID',
        `The PostgreSQL database is empty, and ${folder} holds the teams, keys and profiles of this server`,
        {
          hint: `There is no tool that copies them. Start without \`--database-url\` to keep using them, or move ${folder} away to start empty on PostgreSQL.`,
        },
      )
    }
    log.warn({ folder }, 'The embedded database in the data directory is not used: --database-url is set')
  }
  await writePrivate(join(dataDir, markerName), await markerText(dataDir))
}

async function markerText(dataDir: string): Promise<string> {
  return readFile(join(dataDir, markerName), 'utf8').catch(
    () => 'This server uses PostgreSQL. Without --database-url it refuses to start while this file exists.\n',
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
