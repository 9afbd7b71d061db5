// Opens the store in the directory given, asks it something, and ends without closing it.
import { openStore } from '../../../src/store/open.ts'

const [dataDir = ''] = process.argv.slice(2)
const store = await openStore({ dataDir })
await store.ping()
process.stdout.write('done\n')
