// Opens the store in the given directory, pings it, and exits without closing it.
import { openStore } from '../../../src/store/open.ts'

const [dataDir = ''] = process.argv.slice(2)
const store = await openStore({ dataDir })
await store.ping()
process.stdout.write('done\n')
