// node server/test/store/released/dump-schema.ts VERSION
// Writes the migrations of a release that earlier releases lack. Run it once for each release.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { migrationStatements } from '../../../src/store/migrate.ts'

const [version] = process.argv.slice(2)
if (version === undefined || !/^[\w.-]+$/.test(version)) throw new Error('Usage: dump-schema.ts VERSION')

const earlier = globSync('*.sql', { cwd: fileURLToPath(new URL('.', import.meta.url)) })
  .filter((name) => !name.endsWith('-rows.sql') && name !== `${version}.sql`)
  .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
const names = Object.keys(migrationStatements)
const added = names.filter((name) => !earlier.some((text) => text.includes(`\n-- ${name}\n`)))
const statements = added.flatMap((name) => [
  `-- ${name}`,
  ...(migrationStatements[name] ?? []).map((statement) => `${statement};`),
])
const done = added.map((name) => `('${name}', '${new Date(names.indexOf(name)).toISOString()}')`)
const tables = [
  'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);',
  'create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer not null default 0);',
  `insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);`,
]
const bookkeeping = [
  '-- Kysely',
  ...(earlier.length === 0 ? tables : []),
  `insert into kysely_migration (name, timestamp) values\n  ${done.join(',\n  ')};`,
]
const head = `-- What ${version} adds to the schema, written by dump-schema.ts. Never edit the schema of a release.`
writeFileSync(new URL(`${version}.sql`, import.meta.url), `${[head, ...statements, ...bookkeeping].join('\n')}\n`)
