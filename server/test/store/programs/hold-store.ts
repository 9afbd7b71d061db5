// Opens the store in the directory given, says so, and keeps it until it is killed.
import { openStore } from '../../../src/store/open.ts'

const [dataDir = ''] = process.argv.slice(2)
await using _store = await openStore({ dataDir })
process.stdout.write('open\n')
setInterval(() => undefined, 1000)
await new Promise(() => undefined)
