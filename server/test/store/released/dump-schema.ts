// node server/test/store/released/dump-schema.ts VERSION [LAST_MIGRATION]
// Writes the schema of a release, from which the tests migrate. Run it once for each release.
import { writeFileSync } from 'node:fs'
import { migrationStatements } from '../../../src/store/migrate.ts'

const [version, last = '9999'] = process.argv.slice(2)
if (version === undefined || !/^[\w.-]+$/.test(version)) throw new Error('Usage: dump-schema.ts VERSION [MIGRATION]')

const migrations = Object.entries(migrationStatements).filter(([name]) => name <= last)
const statements = migrations.flatMap(([name, each]) => [`-- ${name}`, ...each.map((statement) => `${statement};`)])
const done = migrations.map(([name], index) => `('${name}', '${new Date(index).toISOString()}')`)
const bookkeeping = [
  '-- Kysely',
  'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);',
  'create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);',
  `insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);`,
  `insert into kysely_migration (name, timestamp) values\n  ${done.join(',\n  ')};`,
]
const head = `-- The schema of ${version}, written by dump-schema.ts. Never edit or rewrite the schema of a release.`
writeFileSync(new URL(`${version}.sql`, import.meta.url), `${[head, ...statements, ...bookkeeping].join('\n')}\n`)
