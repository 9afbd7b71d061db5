import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { readArchive } from '../../../src/server/profiles/archives.ts'
import { sweepArchives } from '../../../src/server/profiles/sweep.ts'
import { openBlobs } from '../../../src/server/store/blobs.ts'
import { openStore } from '../../../src/server/store/open.ts'
import { releaseLeasesOfNode } from '../../../src/server/store/profile-leases.ts'
import { findCurrentVersion, listProfiles } from '../../../src/server/store/profiles.ts'
import { sharedPostgres } from '../../lab/shared-postgres.ts'
import { temporaryFolder } from '../../lab/stores.ts'
import { makeTeam } from '../store/world.ts'

const program = fileURLToPath(new URL('programs/save-for-ever.ts', import.meta.url))
const wantedKills = 100
/** What a busy machine manages in a minute is enough. */
const leastKills = 10
const timeLimitMs = 60_000

test(
  'a hundred kills of who saves, at any moment, leave the last committed version whole',
  { timeout: 120_000 },
  async ({ annotate }) => {
    await using folder = await temporaryFolder()
    const postgres = await sharedPostgres()
    await using database = await postgres.createDatabase()
    await using store = await openStore({ dataDir: folder.path, databaseUrl: database.url })
    const blobs = await openBlobs({ kind: 'folder', path: join(folder.path, 'blobs') })
    const { team } = await makeTeam(store.db)
    const keyBytes = randomBytes(32)
    const parts = { blobs, key: { bytes: keyBytes, id: 'lab' }, quotaBytes: 1e9 }
    const untilMs = Date.now() + timeLimitMs
    let kills = 0

    const killOne = async (name: string): Promise<void> => {
      const nodeId = uuidV7()
      const args = [program, database.url, folder.path, team.id, name, nodeId, keyBytes.toString('hex')]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      let told = ''
      child.stdout.on('data', (data: Buffer) => {
        told += data.toString()
      })
      await Promise.race([once(child.stdout, 'data'), exited])
      await delay(Math.random() * 150)
      child.kill('SIGKILL')
      expect((await exited)[1], 'it ended by the kill and not by an error').toBe('SIGKILL')
      await releaseLeasesOfNode(store.db, nodeId)

      const current = await findCurrentVersion(store.db, { teamId: team.id, name })
      const lastTold = Number(told.trimEnd().split('\n').at(-1))
      expect(current?.version).toBeGreaterThanOrEqual(lastTold)
      expect(current?.version).toBeLessThanOrEqual(lastTold + 1)
      await using restored = await temporaryFolder()
      const extras = await readArchive(parts, current!, restored.path)
      expect(await readFile(join(restored.path, 'Default/Cookies'), 'utf8')).toBe(extras.padEnd(300_000, '.'))
      kills += 1
    }
    const isEnough = (): boolean => kills >= wantedKills || Date.now() > untilMs
    const killMany = async (name: string): Promise<void> => {
      while (!isEnough()) await killOne(name)
    }
    await Promise.all(['one', 'two', 'three'].map(killMany))

    await annotate(`${kills} kills`)
    expect(kills).toBeGreaterThanOrEqual(leastKills)
    const inAnHour = Date.now() + 61 * 60_000
    await sweepArchives({ store, blobs }, inAnHour)
    const profiles = await listProfiles(store.db, { teamId: team.id })
    const left = await Array.fromAsync(blobs.list('profiles'))
    expect(left).toHaveLength(profiles.reduce((sum, { versions }) => sum + versions, 0))
  },
)
