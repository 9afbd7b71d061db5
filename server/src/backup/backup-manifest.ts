import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { migrationNames } from '../store/migrate.ts'

/** Name of the manifest in a backup. It is written last: without it, a backup is incomplete. */
export const manifestName = 'manifest.json'

/** Version of the layout of backups. */
const format = 1

const backupFile = z.object({
  /** Path in the backup, with slashes, such as `keys/node-id`. */
  path: z.string().regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\0]+$/, 'not a path inside the backup'),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** A file of a backup. */
export type BackupFile = Readonly<z.output<typeof backupFile>>

const manifest = z.object({
  format: z.literal(format),
  createdAt: z.iso.datetime(),
  /** Version of Bowline that made the backup. */
  version: z.string(),
  store: z.object({
    kind: z.enum(['pglite', 'postgres']),
    /** Major version of PostgreSQL, or of that in the embedded database. */
    major: z.int(),
    /** Schema of the tables in PostgreSQL. */
    schema: z.string(),
    /** Migrations that the tables have, in order. */
    migrations: z.array(z.string()).min(1),
  }),
  /** Ids of the keys that encrypted profiles and secrets, and whether the backup has the key. */
  profileKeys: z.array(z.object({ id: z.string(), isIncluded: z.boolean() })),
  files: z.array(backupFile),
})

/** Table of contents of a backup. */
export type BackupManifest = z.output<typeof manifest>

/** Creates the manifest of a new backup. */
export function createManifest(facts: Omit<BackupManifest, 'format' | 'createdAt'>): BackupManifest {
  return { format, createdAt: new Date().toISOString(), ...facts }
}

/** Parses a manifest. Throws BACKUP_INVALID, also if the backup has a newer format or schema. */
export function parseManifest(text: string, location: string): BackupManifest {
  const json = parseJson(text, location)
  const newer = z.object({ format: z.number().gt(format), version: z.string() }).safeParse(json)
  if (newer.success) throw newerBackup(location, newer.data.version, `the format ${newer.data.format}`)
  const parsed = manifest.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const detail = `${issue?.path.join('.')}: ${issue?.message}`
    throw new BowlineError('BACKUP_INVALID', `The manifest of the backup in ${location} is damaged: ${detail}`)
  }
  const { store, version } = parsed.data
  const unknown = store.migrations.findLast((name) => !migrationNames.includes(name))
  if (unknown !== undefined) throw newerBackup(location, version, `the schema ${unknown}`)
  return parsed.data
}

function parseJson(text: string, location: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BowlineError('BACKUP_INVALID', `The manifest of the backup in ${location} is not JSON`, { cause })
  }
}

function newerBackup(location: string, version: string, what: string): BowlineError {
  return new BowlineError(
    'BACKUP_INVALID',
    `The backup in ${location} was made by Bowline ${version} and has ${what}, which this version does not know. It knows schemas up to ${migrationNames.at(-1)}`,
    { hint: `Restore it with Bowline ${version} or a later version.` },
  )
}
