import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { readArchive } from '../../src/profiles/archives.ts'
import { sweepArchives } from '../../src/profiles/sweep-archives.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { openStore } from '../../src/store/open.ts'
import { releaseLeasesOfNode } from '../../src/profiles/lease-queries.ts'
import { findCurrentVersion, listProfiles } from '../../src/profiles/profile-queries.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

const program = fileURLToPath(new URL('programs/save-continuously.ts', import.meta.url))
/**
 * Milliseconds from the first version a process saves to its kill. It saves four profiles at once,
 * so a kill interrupts four saves at different steps.
 */
const killAfterMs = [0, 40, 90]
const names = ['one', 'two', 'three', 'four']

/** The last version of each profile in the output of a process, which has lines `name version`. */
function readVersions(output: string): ReadonlyMap<string, number> {
  return new Map(
    output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '))
      .filter((parts) => parts.length === 2)
      .map(([name = '', version]) => [name, Number(version)]),
  )
}

test(
  'twelve saves that a kill of their process interrupts leave the last committed version intact',
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder()
    const postgres = await sharedPostgres()
    await using database = await postgres.createDatabase()
    await using store = await openStore({ dataDir: folder.path, databaseUrl: database.url })
    const blobs = await openBlobs({ kind: 'folder', path: join(folder.path, 'blobs') })
    const { team } = await makeTeam(store.db)
    const keyBytes = randomBytes(32)
    const parts = { blobs, key: { bytes: keyBytes, id: 'lab' }, quotaBytes: 1e9 }

    const saversUrl = `${database.url}&application_name=saver`
    const countSavers = async (): Promise<number> => {
      const found = sql`select 1 from pg_stat_activity where application_name = 'saver'`
      return (await found.execute(store.db)).rows.length
    }

    const killSavers = async (delayMs: number): Promise<void> => {
      const nodeId = uuidV7()
      const args = [program, saversUrl, folder.path, team.id, nodeId, keyBytes.toString('hex'), ...names]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      let output = ''
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString()
      })
      await Promise.race([once(child.stdout, 'data'), exited])
      await delay(delayMs)
      child.kill('SIGKILL')
      expect((await exited)[1], 'the process was killed and did not fail').toBe('SIGKILL')
      // The database completes the last statement after the kill. It may acquire a lease.
      await expect.poll(countSavers, { interval: 10 }).toBe(0)
      await releaseLeasesOfNode(store.db, nodeId)
      const printedVersions = readVersions(output)
      for (const name of names) await expectIntact(name, printedVersions.get(name))
    }

    const committed = new Map<string, number>()
    const expectIntact = async (name: string, printed = committed.get(name)): Promise<void> => {
      const current = await findCurrentVersion(store.db, { teamId: team.id, name })
      if (current === undefined && printed === undefined) return
      expect(current?.version).toBeGreaterThanOrEqual(printed ?? 1)
      expect(current?.version).toBeLessThanOrEqual((printed ?? 0) + 1)
      committed.set(name, current!.version)
      await using restored = await temporaryFolder()
      const sessionCookiesJson = await readArchive(parts, current!, restored.path)
      expect(await readFile(join(restored.path, 'Default/Cookies'), 'utf8')).toBe(
        sessionCookiesJson.padEnd(300_000, '.'),
      )
    }
    for (const delayMs of killAfterMs) await killSavers(delayMs)

    expect([...committed.keys()].toSorted()).toEqual(names.toSorted())
    const inAnHour = Date.now() + 61 * 60_000
    await sweepArchives({ store, blobs }, inAnHour)
    const profiles = await listProfiles(store.db, { teamId: team.id })
    const left = await Array.fromAsync(blobs.list('profiles'))
    expect(left).toHaveLength(profiles.reduce((sum, { versions }) => sum + versions, 0))
  },
)
