import { Command } from 'commander'
import { addExamples } from 'bowline/terminal/add-examples'
import { print, printFacts, printJson } from 'bowline/terminal/print'
import { settings } from '../config.ts'
import { BowlineError } from 'bowline/kit/errors'
import { addStorageFlags, readStorageSettings, type StorageFlags } from './backup-options.ts'

interface MoveFlags extends Pick<StorageFlags, 'dataDir' | 'blobs'> {
  readonly to: string
  readonly toBlobs?: string
  readonly json?: boolean
}

/** Creates the command `bowline-server move`. */
export function createMoveCommand(): Command {
  const command = new Command('move')
    .description(
      'Copy the embedded database of a stopped server to an empty PostgreSQL: all tables, queued tasks and the profile key. The rows of both are counted, and the embedded database stays as it is.',
    )
    .requiredOption('--to <url>', 'URL of an empty PostgreSQL database; the password can be in PGPASSWORD')
    .option('--to-blobs <value>', 'folder or s3://BUCKET/PREFIX to which blobs are copied; default: they stay')
  addStorageFlags(command, ['dataDir', 'blobs'])
  return addExamples(command, ['bowline move --to postgres://bowline@db/bowline'])
    .option('--json', 'print JSON')
    .action(async ({ json, to, toBlobs, ...flags }: MoveFlags) => {
      const { moveStore } = await import('../backup/move.ts')
      const storage = readStorageSettings(flags)
      const moved = await moveStore(storage, { databaseUrl: parseTarget(to), blobs: toBlobs })
      if (json === true) return printJson(moved)
      const rows = Object.entries(moved.rows)
      const sum = rows.reduce((all, [, count]) => all + count, 0)
      print(`Copied the embedded database in ${storage.dataDir} to PostgreSQL`)
      printFacts({
        rows: `${sum} in ${rows.filter(([, count]) => count > 0).length} tables, counted in both databases`,
        blobs: moved.blobs === undefined ? 'stay where they are' : `${moved.blobs} copied`,
        next: `start the server with --database-url${toBlobs === undefined ? '' : `, --blobs ${toBlobs}`} and the same --data-dir`,
      })
    })
}

/** Validates the URL like the setting of the server. Throws CONFIG_INVALID without the URL. */
function parseTarget(to: string): string {
  const parsed = settings.databaseUrl.schema.safeParse(to)
  if (parsed.success && parsed.data !== undefined) return parsed.data
  throw new BowlineError('CONFIG_INVALID', `\`--to\` takes ${settings.databaseUrl.accepts}`)
}
