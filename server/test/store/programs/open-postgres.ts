// Opens and closes the store at the given PostgreSQL URL.
import { openStore } from '../../../src/store/open.ts'

const [databaseUrl = ''] = process.argv.slice(2)
await using _store = await openStore({ dataDir: '', databaseUrl })
