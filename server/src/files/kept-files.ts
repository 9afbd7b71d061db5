import { z } from 'zod'
import { sessionFile, type SessionFile } from 'bowline/contract/files'
import type { Artifacts } from '../artifacts/artifacts.ts'
import { artifactKind, type ArtifactRow } from '../artifacts/artifact-queries.ts'
import { sessionEnded } from '../kit/session-ended.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { SessionFiles } from './session-files.ts'

const { direction, error, guid } = sessionFile.shape

/** Metadata of a kept file. */
const fileDetails = z.object({ direction: direction.default('download'), error, guid })

type KeptFile = ArtifactRow<z.output<typeof fileDetails>>

const files = artifactKind('file', fileDetails)

/**
 * Stores the complete files of an ending session, if it was created with `keepFiles`. A file that
 * fails does not stop the others. Throws an AggregateError of the failures at the end.
 */
export async function keepFiles(
  session: { readonly row: SessionRow; readonly files: SessionFiles },
  { artifacts, keptFilesHours }: { readonly artifacts: Artifacts; readonly keptFilesHours: number },
  signal: AbortSignal,
): Promise<void> {
  const { row } = session
  if (!row.keepFiles) return
  const retentionMs = keptFilesHours * 3_600_000
  const failures: unknown[] = []
  for (const { complete, name, createdAt, direction, error, guid } of session.files.list()) {
    if (!complete) continue
    try {
      const { read } = await session.files.open(name)
      await using contents = read()
      const details = { direction, error, guid }
      const artifact = { name, details, createdAt: new Date(createdAt), retentionMs, contents }
      await artifacts.store(files, row, artifact, signal)
    } catch (error) {
      // The other files are still stored.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be stored`)
}

/**
 * Lists the kept files of an ended session. Throws SESSION_ENDED if it was created without
 * `keepFiles`.
 */
export async function listKeptFiles(artifacts: Artifacts, row: SessionRow): Promise<readonly SessionFile[]> {
  if (!row.keepFiles || row.status === 'active') throw sessionEnded(row.endReason ?? 'ending')
  return (await artifacts.list(files, row.id)).map(describeArtifact)
}

/** Finds a kept file by its name or download guid. Throws SESSION_ENDED or FILE_NOT_FOUND. */
export async function findKeptFile(artifacts: Artifacts, row: SessionRow, key: string): Promise<KeptFile> {
  const named = (await listKeptFiles(artifacts, row)).find(({ name, guid }) => name === key || guid === key)
  return artifacts.find(files, row.id, named?.name ?? key)
}

function describeArtifact({ name, bytes, createdAt, details }: KeptFile): SessionFile {
  return {
    ...details,
    name,
    size: bytes ?? 0,
    createdAt: createdAt.toISOString(),
    complete: true,
  }
}
