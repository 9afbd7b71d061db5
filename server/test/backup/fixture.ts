import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { z } from 'zod'
import { artifactKind, type ArtifactKind } from '../../src/artifacts/artifact-queries.ts'
import { Artifacts } from '../../src/artifacts/artifacts.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { openBlobs, type BlobLocation } from '../../src/blobs/blobs.ts'
import { readArchive, writeArchive } from '../../src/profiles/archives.ts'
import { readProfileKey } from '../../src/profiles/profile-key.ts'
import { recordingKind } from '../../src/recordings/recording-details.ts'
import { Secrets } from '../../src/secrets/secrets.ts'
import { admitSession, endSession } from '../../src/sessions/session-account.ts'
import { metadataColumn } from '../../src/sessions/session-labels.ts'
import { getSession } from '../../src/sessions/session-queries.ts'
import { installQueues } from '../../src/store/install-queues.ts'
import type { Store } from '../../src/store/store.ts'
import { insertKey } from '../../src/teams/key-queries.ts'
import { ensureTeam, findTeam, updateTeam } from '../../src/teams/team-queries.ts'
import { hashSecret, uuidV7 } from '../../../src/kit/ids.ts'
import { newSession } from '../store/fixture.ts'

/** API key of the seeded team. */
export const seededKey = 'bl-0123456789abcdef0123456789abcdef'

/** Ids of seeded rows. */
export interface Seeded {
  readonly teamId: string
  readonly sessionId: string
  readonly profileId: string
}

/** A store and the places that belong to it. */
export interface SeededStore {
  readonly store: Store
  readonly dataDir: string
  readonly blobs: BlobLocation
}

/** Files of sessions. */
export const fileKind = artifactKind('file', z.object({ direction: z.string() }))

function onError(error: unknown): void {
  throw error
}

/** Stores a team with a key, a secret, a saved profile, a billed session with files, and a task. */
export async function seed({ store, dataDir, blobs: location }: SeededStore): Promise<Seeded> {
  const { db, raw } = store
  const blobs = await openBlobs(location)
  const team = await ensureTeam(db, { name: 'acme' })
  await updateTeam(db, team.id, { credits: 100 })
  const teamId = team.id
  const key = await insertKey(db, {
    teamId,
    name: 'ci',
    hash: hashSecret(seededKey),
    prefix: seededKey.slice(0, 7),
    role: 'member',
  })
  const profileKey = await readProfileKey({ configured: undefined, dataDir, store })
  await new Secrets({ store, key: profileKey }).set(
    { teamId, name: 'PASSWORD' },
    { value: 'a secret', origins: ['https://a.example'] },
  )
  const profileId = uuidV7()
  const profile = await mkdtemp(join(tmpdir(), 'bowline-test-'))
  const archive = await writeArchive({ blobs, key: profileKey, quotaBytes: 1e6 }, profileId, {
    userDataDir: profile,
    sessionCookiesJson: '["a cookie"]',
  })
  await rm(profile, { recursive: true })
  await db
    .insertInto('profile')
    .values({ id: profileId, teamId, name: 'shop', currentVersion: 1, lastVersion: 1 })
    .execute()
  await db
    .insertInto('profileVersion')
    .values({ ...archive, profileId, version: 1, browser: '150.0' })
    .execute()
  const admission = await admitSession(
    db,
    newSession(key, { keepFiles: true, metadata: metadataColumn({ 'a\\"b': "it's {ü}" }) }),
  )
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  const { session } = admission
  const artifacts = new Artifacts({ store, blobs, onError })
  const kept = { retentionMs: 3_600_000, contents: Readable.from([Buffer.from('the download')]) }
  const { signal } = new AbortController()
  await artifacts.store(fileKind, session, { ...kept, name: 'a.txt', details: { direction: 'download' } }, signal)
  const recorded = { ...kept, contents: Readable.from([Buffer.from('the console')]) }
  const details = { contentType: 'text/plain', startedAtMs: 1 }
  await artifacts.store(recordingKind, session, { ...recorded, name: 'console.jsonl', details }, signal)
  await endSession(db, {
    id: session.id,
    reason: 'deleted',
    status: 'destroyed',
    endedAt: new Date(),
    durationMs: 1500,
    credits: 2,
  })
  const { rows } = await raw.query<{ found: string | null }>(`select to_regclass('pgboss.job')::text as found`)
  if (rows[0]?.found === null) await installQueues(raw)
  await raw.exec(`
    select pgboss.create_queue('lab', '{"policy":"standard","retryLimit":2,"retryDelay":0,"retryBackoff":false,
      "expireInSeconds":60,"retentionSeconds":600,"deleteAfterSeconds":600,"partition":false}');
    insert into pgboss.job (name, data) values ('lab', '{"a":[1,"\\u00fc"]}')`)
  await db
    .insertInto('indexedPage')
    .values({
      teamId,
      urlHash: Buffer.from([0, 1, 255]),
      url: 'https://a.example/',
      title: 'NULL',
      description: '',
      body: 'one\ttwo\n\\.',
      words: sql`to_tsvector('simple', 'one two')`,
      datedAt: new Date(1),
    } as never)
    .execute()
  return { teamId, sessionId: session.id, profileId }
}

/** Reads all that was seeded, with its blobs. */
export async function readSeeded({ store, dataDir, blobs: location }: SeededStore, seeded: Seeded) {
  const { db, raw } = store
  const { teamId, sessionId, profileId } = seeded
  const blobs = await openBlobs(location)
  const key = await readProfileKey({ configured: undefined, dataDir, store })
  const artifacts = new Artifacts({ store, blobs, onError })
  const contents = async <Details>(kind: ArtifactKind<Details>, name: string): Promise<string> =>
    text(await artifacts.read(await artifacts.find(kind, sessionId, name)))
  const version = await db
    .selectFrom('profileVersion')
    .selectAll()
    .where('profileId', '=', profileId)
    .executeTakeFirstOrThrow()
  const profile = await mkdtemp(join(tmpdir(), 'bowline-test-'))
  try {
    return {
      team: await findTeam(db, teamId),
      session: await getSession(db, sessionId),
      ledger: await listLedger(db, { teamId }),
      keys: await db.selectFrom('apiKey').selectAll().execute(),
      // As text: the databases return bytes in different classes.
      pages: (await raw.query(`select indexed_page::text from indexed_page`)).rows,
      secret: (await new Secrets({ store, key }).reveal({ teamId, name: 'PASSWORD' })).text,
      cookies: await readArchive({ blobs, key, quotaBytes: 1e6 }, version, profile),
      file: await contents(fileKind, 'a.txt'),
      recording: await contents(recordingKind, 'console.jsonl'),
      tasks: (await raw.query(`select name, data, state::text, created_on from pgboss.job`)).rows,
    }
  } finally {
    await rm(profile, { recursive: true })
  }
}

/** Writes the key file that a server would create in a data directory. */
export async function writeKeyFiles(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, 'api-key'), 'bl-ffffffffffffffffffffffffffffffff\n', { mode: 0o600 })
  await writeFile(join(dataDir, 'node-id'), `${uuidV7()}\n`, { mode: 0o600 })
}
