import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Profiles } from '../../../src/profiles/profiles.ts'
import { profileWriters } from '../../../src/sessions/session-queries.ts'
import { openBlobs } from '../../../src/blobs/blobs.ts'
import { openStore } from '../../../src/store/open.ts'

// Saves new versions of each given profile until it is killed. Prints each version once it is
// committed.
const [databaseUrl = '', folder = '', teamId = '', nodeId = '', keyHex = '', ...names] = process.argv.slice(2)
const store = await openStore({ dataDir: folder, databaseUrl })
const blobs = await openBlobs({ kind: 'folder', path: join(folder, 'blobs') })
const key = { bytes: Buffer.from(keyHex, 'hex'), id: 'lab' }
function onError(error: unknown): void {
  return void process.stderr.write(`${String(error)}\n`)
}
const limits = { quotaBytes: 1e8, keepVersions: 2 }
const profiles = await Profiles.create({
  sessions: profileWriters(store.db),
  store,
  blobs,
  key,
  nodeId,
  dataDir: folder,
  ...limits,
  onError,
})

async function saveContinuously(name: string): Promise<never> {
  const userDataDir = await mkdtemp(join(folder, 'profile-'))
  await mkdir(join(userDataDir, 'Default'))
  for (let count = 1; ; count += 1) {
    const profile = await profiles.acquire({ teamId, name, isWritable: true, sessionId: undefined })
    const text = `${process.pid}-${name}-${count}`
    await writeFile(join(userDataDir, 'Default/Cookies'), text.padEnd(300_000, '.'))
    const { version } = await profile.save({
      userDataDir,
      sessionCookiesJson: text,
      browser: 'lab',
      sessionId: undefined,
    })
    process.stdout.write(`${name} ${version}\n`)
  }
}
await Promise.all(names.map(saveContinuously))
