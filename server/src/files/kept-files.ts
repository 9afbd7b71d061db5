import type { SessionFile } from 'bowline/contract/files'
import { BowlineError } from 'bowline/kit/errors'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { ArtifactRow } from '../store/artifacts.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { SessionFileStore } from './session-file-store.ts'

/** How long files are kept after the end of a session that asked for it. */
export interface KeepTime {
  readonly keptFilesHours: number
}

/** Keeps the whole files of a session that is about to lose them, when its creator asked for it. Throws an AggregateError for those that could not be kept, after all others were. */
export async function keepFiles(
  {
    sessionFileStore,
    artifacts,
    keptFilesHours,
  }: KeepTime & { readonly sessionFileStore: SessionFileStore; readonly artifacts: Artifacts },
  session: LiveSession,
  signal: AbortSignal,
): Promise<void> {
  if (!session.row.keepFiles) return
  const sessionFiles = sessionFileStore.of(session)
  const lifeMs = keptFilesHours * 3_600_000
  const failures: unknown[] = []
  for (const { complete, name, size: _, createdAt, ...details } of sessionFiles.list()) {
    if (!complete) continue
    try {
      const { read } = await sessionFiles.open(name)
      await using contents = read()
      const artifact = { kind: 'file', name, details, createdAt: new Date(createdAt), lifeMs, contents } as const
      await artifacts.keep(session.row, artifact, signal)
    } catch (error) {
      // One that cannot be kept must not take those after it along.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be kept`)
}

/** The kept files of an ended session. Throws SESSION_ENDED when it did not keep any. */
export async function listKeptFiles(artifacts: Artifacts, row: SessionRow): Promise<readonly SessionFile[]> {
  if (!row.keepFiles || row.status === 'active') throw ended(row)
  return (await artifacts.list({ sessionId: row.id, kind: 'file' })).map(describeKept)
}

/** One of them, by its name or the guid of the download. Throws SESSION_ENDED, FILE_NOT_FOUND. */
export async function findKeptFile(artifacts: Artifacts, row: SessionRow, key: string): Promise<ArtifactRow> {
  const named = (await listKeptFiles(artifacts, row)).find(({ name, guid }) => name === key || guid === key)
  return artifacts.find({ sessionId: row.id, kind: 'file' }, named?.name ?? key)
}

/** The error of a session that has nothing to show any more. */
export function ended(row: SessionRow): BowlineError {
  return new BowlineError('SESSION_ENDED', `Browser session has been destroyed (${row.endReason ?? 'ending'}).`)
}

function describeKept({ name, bytes, createdAt, details }: ArtifactRow): SessionFile {
  return {
    direction: 'download',
    ...(JSON.parse(details) as object),
    name,
    size: bytes ?? 0,
    createdAt: createdAt.toISOString(),
    complete: true,
  }
}
