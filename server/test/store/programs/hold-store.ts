// Opens the store in the given directory, prints `open`, and keeps it open until killed.
import { openStore } from '../../../src/store/open.ts'

const [dataDir = ''] = process.argv.slice(2)
await using _store = await openStore({ dataDir })
process.stdout.write('open\n')
setInterval(() => undefined, 1000)
await new Promise(() => undefined)
