import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../../server/src/cli/serve-command.ts'
import '../../src/playwright.ts'
import '../../src/puppeteer.ts'
import { openStore } from '../../server/src/store/open.ts'

// Creates the template of an empty database by opening one, and fills the compile cache by its
// imports.
await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-warm-up-'))
await using store = await openStore({ dataDir: folder.path })
await store.ping()
