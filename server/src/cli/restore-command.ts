import { Command } from 'commander'
import { addExamples } from 'bowline/terminal/add-examples'
import { print, printFacts, printJson, printNote } from 'bowline/terminal/print'
import { addStorageFlags, readStorageSettings, type StorageFlags } from './backup-options.ts'
import { backupFacts, describeContents } from './describe-backup.ts'

const examples = [
  'bowline restore /backups/2026-08-01',
  'bowline restore s3://acme-backups/bowline/2026-08-01 --data-dir /var/lib/bowline --replace',
]

/** Creates the command `bowline-server restore`. */
export function createRestoreCommand(): Command {
  const command = new Command('restore')
    .description(
      'Restore the database, blobs and keys of a stopped server from a backup, after verifying all of it, and migrate an older schema. S3 credentials are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. PostgreSQL needs `pg_restore` and `psql`.',
    )
    .argument('<backup>', 'the folder of the backup, or s3://BUCKET/PREFIX with ?region= and ?endpoint= as needed')
    .option(
      '--replace',
      'replace a store that has data: a data directory keeps its former contents in a folder, tables in PostgreSQL are deleted',
    )
  addStorageFlags(command, ['dataDir', 'databaseUrl', 'blobs'])
  return addExamples(command, examples)
    .option('--json', 'print JSON')
    .action(async (source: string, options: StorageFlags & { readonly json?: boolean; readonly replace?: boolean }) => {
      const { json, replace, ...flags } = options
      const { restore } = await import('../backup/restore.ts')
      const settings = readStorageSettings(flags)
      const { location, manifest, formerData } = await restore(source, settings, { replace })
      const facts = backupFacts(location, manifest)
      if (json === true) return printJson({ ...facts, formerData })
      print(`Restored the backup of ${manifest.createdAt} from ${location}`)
      printFacts({ ...describeContents(manifest), ...(formerData !== undefined && { 'former data': formerData }) })
      for (const id of facts.missingProfileKeys) {
        printNote(`Start the server with the profile key ${id} in --profile-key, which the backup does not contain.`)
      }
    })
}
