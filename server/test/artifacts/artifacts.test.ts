import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { artifactKind } from '../../src/artifacts/artifact-queries.ts'
import { Artifacts } from '../../src/artifacts/artifacts.ts'
import { sweepArtifacts } from '../../src/artifacts/sweep-artifacts.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { recordColumn } from '../../src/recordings/record-plan.ts'
import { recordingKind } from '../../src/recordings/recording-details.ts'
import { admitSession } from '../../src/sessions/session-account.ts'
import { describeEachStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'
import { unavailable } from '../store/unavailable-store.ts'

const hourMs = 3_600_000
const files = artifactKind('file', z.object({}))
function onError(error: unknown): void {
  expect.fail(String(error))
}

describeEachStore('artifacts of a session', (openStore) => {
  test('an artifact is listed and readable once complete, and deleted with its blob when it expires', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    const artifacts = new Artifacts({ store, blobs: await openBlobs({ kind: 'folder', path: folder.path }), onError })
    const { key } = await makeTeam(store.db)
    const admission = await admitSession(store.db, newSession(key, { keepFiles: true, record: recordColumn(true) }))
    if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
    const { session } = admission
    const keep = async (name: string, retentionMs: number, contents: Readable): Promise<void> =>
      artifacts.store(files, session, { name, details: {}, retentionMs, contents }, AbortSignal.timeout(10_000))
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw new Error('the disk is gone')
      })(),
    )

    await keep('short', hourMs, Readable.from([Buffer.from('short')]))
    await keep('long', 3 * hourMs, Readable.from([Buffer.from('much longer')]))
    await expect(keep('broken', hourMs, broken)).rejects.toThrow('the disk is gone')

    expect(session).toMatchObject({ keepFiles: true, record: 'true' })
    const listed = await artifacts.list(files, session.id)
    expect(listed).toMatchObject([
      { name: 'short', bytes: 5 },
      { name: 'long', bytes: 11 },
    ])
    expect(await artifacts.list(recordingKind, session.id)).toEqual([])
    expect(await text(await artifacts.read(listed[1]!))).toBe('much longer')
    if (store.kind === 'postgres') {
      // Of a server whose clock is wrong.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 72 * hourMs })
      await sweepArtifacts(store, artifacts).finally(() => vi.useRealTimers())
      expect(await artifacts.list(files, session.id)).toHaveLength(2)
    }
    await sweepArtifacts(store, artifacts, new Date(Date.now() + 2 * hourMs))
    expect(await artifacts.list(files, session.id)).toMatchObject([{ name: 'long' }])
    expect(await readdir(join(folder.path, 'artifacts'))).toEqual([listed[1]!.id])
  })

  test('an artifact is stored when the database responds again', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    let isAway = true
    const away = unavailable(store, /"artifact"/)
    const flaky = {
      ...store,
      get db() {
        return isAway ? away.db : store.db
      },
    }
    const blobs = await openBlobs({ kind: 'folder', path: folder.path })
    const artifacts = new Artifacts({ store: flaky, blobs, onError })
    const { key } = await makeTeam(store.db)
    const admission = await admitSession(store.db, newSession(key))
    if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
    const contents = Readable.from([Buffer.from('precious')])
    const artifact = { name: 'kept', details: {}, retentionMs: hourMs, contents }

    const storing = artifacts.store(files, admission.session, artifact, AbortSignal.timeout(20_000))
    setTimeout(() => (isAway = false), 700)
    await storing

    expect(await artifacts.list(files, admission.session.id)).toMatchObject([{ name: 'kept', bytes: 8 }])
  })
})
