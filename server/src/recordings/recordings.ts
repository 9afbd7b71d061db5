import { fillPath } from 'bowline/contract/fill-path'
import { paths } from 'bowline/contract/paths'
import type { Recording } from 'bowline/contract/recordings'
import { abortable } from 'bowline/kit/abort'
import { dayMs } from 'bowline/kit/day-ms'
import { deriveToken, equalSecrets } from 'bowline/kit/ids'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { recordPlanOf, type RecordPlan } from './record-plan.ts'
import { Recorder, type RecordedSession } from './recorder.ts'
import { playerName, recordingKind } from './recording-details.ts'
import type { Focus } from './video-recorder.ts'

/** Dependencies of the recordings. */
export interface RecordingsDeps {
  readonly artifacts: Artifacts
  readonly recordingDays: number
  readonly maxRecordingMb: number
  readonly version: string
  readonly onError: (error: unknown, action: string) => void
}

/** The recording of a live session. */
export interface SessionRecording {
  readonly keep: RecordPlan['keep']
  readonly recorder: Promise<Recorder>
}

/** Time that a session waits for its recorder to start. */
const startTimeoutMs = 5000

/** Records sessions that request it, and stores the recordings for `recordingDays`. */
export class Recordings {
  readonly #deps: RecordingsDeps

  constructor(deps: RecordingsDeps) {
    this.#deps = deps
  }

  /**
   * Starts recording if the session requests it. `resources` stops it. Never rejects: a session
   * must not fail because it cannot be recorded.
   */
  async start(
    session: RecordedSession & { readonly ended: AbortSignal },
    focus: Focus,
    resources: AsyncDisposableStack,
  ): Promise<SessionRecording | undefined> {
    const { maxRecordingMb, version } = this.#deps
    const onError = (error: unknown): void => {
      if (!session.ended.aborted) this.#deps.onError(error, `recording session ${session.row.id}`)
    }
    const plan = readPlan(session.row, onError)
    if (plan === undefined) return undefined
    const recorder = Recorder.start({ session, plan, focus, maxBytes: maxRecordingMb * 1e6, version, onError })
    resources.defer(async () => (await recorder.catch(() => undefined))?.[Symbol.asyncDispose]())
    await abortable(recorder, AbortSignal.timeout(startTimeoutMs)).catch(onError)
    return { keep: plan.keep, recorder }
  }

  /** Ends a recording and stores it unless `keep` rules that out. */
  async finish(
    row: SessionRow,
    recording: SessionRecording,
    { hasFailed, signal }: { readonly hasFailed: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const recorder = await abortable(recording.recorder, AbortSignal.timeout(startTimeoutMs))
    const recorded = await recorder.finish()
    const isKept = recording.keep === 'always' || hasFailed
    for (const { contents, name, ...details } of recorded) {
      if (!isKept) {
        contents.destroy()
        continue
      }
      const retentionMs = this.#deps.recordingDays * dayMs
      const artifact = { retentionMs, name, details, contents }
      // A failure must not affect the other files, nor leave this one open.
      await this.#deps.artifacts.store(recordingKind, row, artifact, signal).catch((error: unknown) => {
        contents.destroy()
        this.#deps.onError(error, `keeping ${name} of session ${row.id}`)
      })
    }
  }

  /** Lists the recordings of an ended session with their URLs. */
  async list(row: SessionRow, baseUrl: string): Promise<readonly Recording[]> {
    const kept = await this.#deps.artifacts.list(recordingKind, row.id)
    const addressOf = (name: string): string =>
      `${baseUrl}${fillPath(paths.readRecording.path, { id: row.id, name })}?token=${recordingsToken(row)}`
    const files = kept.map((artifact) => ({
      name: artifact.name,
      contentType: artifact.details.contentType,
      size: artifact.bytes ?? 0,
      url: addressOf(artifact.name),
      expiresAt: artifact.expiresAt.toISOString(),
    }))
    const [first] = files
    if (first === undefined) return []
    const player = {
      name: playerName,
      contentType: 'text/html',
      url: addressOf(playerName),
      expiresAt: first.expiresAt,
    }
    return [...files, player]
  }
}

function readPlan(row: SessionRow, onError: (error: unknown) => void): RecordPlan | undefined {
  try {
    return recordPlanOf(row)
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** Whether a token gives access to the recordings of a session. */
export function isRecordingsToken(row: SessionRow, token: string): boolean {
  return equalSecrets(recordingsToken(row), token)
}

function recordingsToken({ secret }: SessionRow): string {
  return deriveToken(secret, 'recordings')
}
