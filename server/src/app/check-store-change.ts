import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { writePrivate } from '../identity.ts'
import type { Store, StoreLog } from '../store/store.ts'
import { pathExists } from '../kit/path-exists.ts'

/** Name of the marker file in the data directory of a server that uses PostgreSQL. */
const markerName = 'uses-postgres'

/**
 * Throws CONFIG_INVALID if the server of this data directory used PostgreSQL before and would now
 * start with an empty embedded database.
 */
export async function assertEmbeddedStoreExpected(dataDir: string): Promise<void> {
  if (!(await pathExists(join(dataDir, markerName))) || (await pathExists(join(dataDir, 'pg')))) return
  throw new BowlineError(
    'CONFIG_INVALID',
    `The server with the data directory ${dataDir} used PostgreSQL before, but \`--database-url\` is not set: it would start with an empty database`,
    {
      hint: `Set DATABASE_URL or \`--database-url\`. To start with an empty embedded database, delete ${join(dataDir, markerName)} first.`,
    },
  )
}

/**
 * Throws CONFIG_INVALID if the data directory holds an embedded database and the PostgreSQL
 * database is still empty: teams, keys and profiles would be missing. Warns if PostgreSQL is in use
 * and the embedded database is ignored.
 */
export async function assertPostgresExpected({ db }: Pick<Store, 'db'>, dataDir: string, log: StoreLog): Promise<void> {
  const folder = join(dataDir, 'pg')
  if (await pathExists(folder)) {
    const key = await db.selectFrom('apiKey').select('id').limit(1).executeTakeFirst()
    if (key === undefined) {
      throw new BowlineError(
        'CONFIG_INVALID',
        `The PostgreSQL database is empty, but ${folder} holds the teams, keys and profiles of this server`,
        {
          hint: `Copy them with \`bowline-server move --to URL\`. Or start without \`--database-url\` to keep using them, or move ${folder} away to start empty on PostgreSQL.`,
        },
      )
    }
    log.warn({ folder }, 'The embedded database in the data directory is ignored because --database-url is set')
  }
  await writePrivate(join(dataDir, markerName), await markerText(dataDir))
}

async function markerText(dataDir: string): Promise<string> {
  return readFile(join(dataDir, markerName), 'utf8').catch(
    () => 'This server uses PostgreSQL. It refuses to start without --database-url while this file exists.\n',
  )
}
