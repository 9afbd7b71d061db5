import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readArchive, writeArchive, type ArchiveDeps } from '../../server/src/profiles/archives.ts'
import { openBlobs } from '../../server/src/blobs/blobs.ts'
import { memoryPages, remember } from '../lab/memories.ts'
import { startSite } from '../lab/site.ts'
import { temporaryFolder } from '../lab/stores.ts'
import { visit } from '../lab/visit.ts'
import { startBenchServer, type BenchServer } from './bench-server.ts'
import { ratioAtMost, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { interleave, median, timed } from './samples.ts'

/** Time that a profile adds to the start and end of a session. */
export const group: BenchGroup = {
  name: 'profiles',
  about: 'sessions with a profile; baseline: sessions without one that also launch a browser; and the archives only',
  run: async (options) => [
    ...(await measureSessions('shell', options)),
    ...(await measureSessions('chromium', options)),
    ...(await measureArchives('1 MB', 1, options)),
    ...(await measureArchives('100 MB', 100, options)),
  ],
}

async function measureSessions(browser: 'shell' | 'chromium', options: BenchOptions): Promise<readonly Figure[]> {
  options.progress(`  ${browser}: sessions with a profile`)
  await using site = await startSite(memoryPages)
  await using server = await startBenchServer({ browser, warm: 0 })
  const profile = { name: 'bench' }
  const session = await server.create({ profile })
  await visit(session, async (page) => remember(page, site, 'kept'))
  await remove(server, session.id)

  const ends: Record<'plain' | 'reading' | 'writing', number[]> = { plain: [], reading: [], writing: [] }
  const probe = (name: keyof typeof ends, body: object) => async (): Promise<number> => {
    let id = ''
    const startMs = await timed(async () => {
      ;({ id } = await server.create(body))
    })
    ends[name].push(await timed(async () => remove(server, id)))
    return startMs
  }
  const starts = await interleave(
    {
      plain: probe('plain', {}),
      reading: probe('reading', { profile: { ...profile, saveChanges: false } }),
      writing: probe('writing', { profile }),
    },
    options.rounds ?? (options.isQuick ? 5 : 20),
  )
  const figure = (name: string, samples: readonly number[], baseline: readonly number[]): Figure => ({
    name: `${browser}: ${name}`,
    unit: 'ms',
    ours: median(samples),
    baseline: median(baseline),
  })
  return [
    { ...figure('create with a profile to read', starts.reading, starts.plain), aim: ratioAtMost(1.3) },
    { ...figure('create with a profile to write', starts.writing, starts.plain), aim: ratioAtMost(1.3) },
    figure('delete with a profile saved', ends.writing, ends.plain),
  ]
}

async function remove(server: BenchServer, id: string): Promise<void> {
  const { status } = await server.api('DELETE', `/v2/browser/${id}`)
  if (status !== 200) throw new Error(`deleting session ${id}: ${status}`)
}

/** Saves and restores files like those of a browser: half compresses well, half does not. */
async function measureArchives(size: string, megabytes: number, options: BenchOptions): Promise<readonly Figure[]> {
  options.progress(`  archives of ${size}`)
  await using folder = await temporaryFolder()
  const userDataDir = join(folder.path, 'profile')
  const databases = join(userDataDir, 'Default/IndexedDB/https_shop.example_0.indexeddb.leveldb')
  await mkdir(databases, { recursive: true })
  for (let index = 0; index < megabytes; index += 1) {
    const contents = Buffer.concat([randomBytes(500_000), Buffer.alloc(500_000, 'text that comes again and again ')])
    await writeFile(join(databases, `${index}.ldb`), contents)
  }
  const parts: ArchiveDeps = {
    blobs: await openBlobs({ kind: 'folder', path: join(folder.path, 'blobs') }),
    key: { bytes: randomBytes(32), id: 'bench' },
    quotaBytes: 1e9,
  }
  const profileId = 'bench'
  const saved = await writeArchive(parts, profileId, { userDataDir, sessionCookiesJson: '{}' })
  const target = join(folder.path, 'restored')
  const times = await interleave(
    {
      save: async () => {
        let blob = ''
        const saveMs = await timed(async () => {
          ;({ blob } = await writeArchive(parts, profileId, { userDataDir, sessionCookiesJson: '{}' }))
        })
        await parts.blobs.delete(blob)
        return saveMs
      },
      restore: async () => {
        await mkdir(target)
        const restoreMs = await timed(async () => readArchive(parts, { ...saved, profileId }, target))
        await rm(target, { recursive: true })
        return restoreMs
      },
    },
    options.rounds ?? (options.isQuick ? 2 : 5),
  )
  return [
    { name: `${size}: save`, unit: 'ms', ours: median(times.save) },
    { name: `${size}: restore`, unit: 'ms', ours: median(times.restore) },
    { name: `${size}: stored`, unit: 'MB', ours: saved.storedBytes / 1e6 },
  ]
}
