import { Command } from 'commander'
import { addExamples } from 'bowline/terminal/add-examples'
import { print, printFacts, printJson, printNote } from 'bowline/terminal/print'
import { addStorageFlags, readStorageSettings, type StorageFlags } from './backup-options.ts'
import { backupFacts, describeContents, type BackupFacts } from './describe-backup.ts'

const examples = [
  'bowline backup /backups/2026-08-01',
  'bowline backup s3://acme-backups/bowline/2026-08-01?region=eu-central-1',
]

/** Creates the command `bowline-server backup`. */
export function createBackupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Back up the database, blobs and keys of a server, while it runs or after it has stopped. The target must be empty. S3 credentials are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. PostgreSQL needs `pg_dump`.',
    )
    .argument('<target>', 'a new folder, or s3://BUCKET/PREFIX with ?region= and ?endpoint= as needed')
  addStorageFlags(command, ['dataDir', 'databaseUrl', 'blobs'])
  return addExamples(command, examples)
    .option('--json', 'print JSON')
    .action(async (target: string, { json, ...flags }: StorageFlags & { readonly json?: boolean }) => {
      const { backUp } = await import('../backup/back-up.ts')
      const { location, manifest } = await backUp(target, readStorageSettings(flags))
      const facts = backupFacts(location, manifest)
      if (json === true) return printJson(facts)
      print(`Backed up to ${location}`)
      printFacts(describeContents(manifest))
      for (const line of describeSecrets(facts)) printNote(line)
    })
}

/** Returns the lines about the secrets in a backup, and about those that it lacks. */
function describeSecrets({ keys, store, missingProfileKeys }: BackupFacts): readonly string[] {
  const hasKey = keys.includes('profile-key') || (store === 'postgres' && missingProfileKeys.length === 0)
  const secrets = [
    ...(keys.includes('api-key') ? ['the bootstrap key, which is an admin key'] : []),
    ...(hasKey ? ['the profile key, which opens the profiles and secrets of teams'] : []),
    'the signing secrets of webhooks',
  ]
  return [
    `This backup is not encrypted and contains secrets: ${secrets.join('; ')}. Protect it like the data directory.`,
    ...missingProfileKeys.map(
      (id) =>
        `It does not contain the profile key ${id}, which is set with --profile-key: keep that key, or profiles and secrets cannot be read after a restore.`,
    ),
  ]
}
