// Writes rows to the store in the given directory and prints the key of each acknowledged row.
import { sql } from 'kysely'
import { openStore } from '../../../src/store/open.ts'

const [dataDir = '', run = '', count = '0'] = process.argv.slice(2)
await using store = await openStore({ dataDir })
for (let row = 0; row < Number(count); row += 1) {
  const key = `${run}-${row}`
  await store.db
    .insertInto('setting')
    .values({ key, value: 'x'.repeat(500) })
    .execute()
  process.stdout.write(`${key}\n`)
  if (row % 20 === 19) await sql`vacuum analyze setting`.execute(store.db)
  if (row % 30 === 29) await sql`checkpoint`.execute(store.db)
}
