import type { SessionFile } from '../../contract/files.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { ArtifactRow } from '../store/artifacts.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Shelves } from './shelves.ts'

/** How long files are kept after the end of a session that asked for it. */
export interface KeepTime {
  readonly keptFilesHours: number
}

/** Keeps the whole files of a session that is about to lose them, when its creator asked for it. */
export const keepFiles = async (
  { shelves, artifacts, keptFilesHours }: KeepTime & { readonly shelves: Shelves; readonly artifacts: Artifacts },
  session: LiveSession,
  signal: AbortSignal,
): Promise<void> => {
  if (!session.row.keepFiles) return
  const shelf = shelves.of(session)
  for (const { complete, name, size: _, createdAt, ...details } of shelf.list()) {
    if (!complete) continue
    const { read } = await shelf.open(name)
    const lifeMs = keptFilesHours * 3_600_000
    const artifact = { kind: 'file', name, details, createdAt: new Date(createdAt), lifeMs, contents: read() } as const
    await artifacts.keep(session.row, artifact, signal)
  }
}

/** The kept files of an ended session. Throws SESSION_ENDED when it did not keep any. */
export const listKeptFiles = async (artifacts: Artifacts, row: SessionRow): Promise<readonly SessionFile[]> => {
  if (!row.keepFiles || row.status === 'active') throw ended(row)
  return (await artifacts.list({ sessionId: row.id, kind: 'file' })).map(describeKept)
}

/** One of them, by its name or the guid of the download. Throws SESSION_ENDED, FILE_NOT_FOUND. */
export const findKeptFile = async (artifacts: Artifacts, row: SessionRow, key: string): Promise<ArtifactRow> => {
  const named = (await listKeptFiles(artifacts, row)).find(({ name, guid }) => name === key || guid === key)
  return artifacts.find({ sessionId: row.id, kind: 'file' }, named?.name ?? key)
}

/** The error of a session that has nothing to show any more. */
export const ended = (row: SessionRow): BowlineError =>
  new BowlineError('SESSION_ENDED', `Browser session has been destroyed (${row.endReason ?? 'ending'}).`)

const describeKept = ({ name, bytes, createdAt, details }: ArtifactRow): SessionFile => ({
  direction: 'download',
  ...(JSON.parse(details) as object),
  name,
  size: bytes ?? 0,
  createdAt: createdAt.toISOString(),
  complete: true,
})
