import type { Recording } from 'bowline/contract/recordings'
import { abortable } from 'bowline/kit/abort'
import { deriveToken, equalSecrets } from 'bowline/kit/ids'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { EndRequest } from '../sessions/session-deps.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Focus } from './video-recorder.ts'
import { recordPlan, type RecordPlan } from './record-plan.ts'
import { Recorder } from './recorder.ts'
import { detailsOf, playerName } from './recording-details.ts'

/** Dependencies of the recordings. */
export interface RecordingsDeps {
  readonly artifacts: Artifacts
  readonly recordingDays: number
  readonly maxRecordingMb: number
  readonly version: string
  readonly focusOf: (session: LiveSession) => Focus
  readonly onError: (error: unknown, what: string) => void
}

/** Time that a session waits for its recorder to start. */
const startTimeoutMs = 5000

const dayMs = 86_400_000

/** Records sessions that request it, and stores the recordings for `recordingDays`. */
export class Recordings {
  readonly #deps: RecordingsDeps
  readonly #recorders = new WeakMap<LiveSession, { readonly plan: RecordPlan; readonly recorder: Promise<Recorder> }>()

  constructor(deps: RecordingsDeps) {
    this.#deps = deps
  }

  /**
   * Starts recording if the session requests it. Never rejects: a session without a recording is
   * better than none.
   */
  async start(session: LiveSession): Promise<void> {
    const plan = recordPlan(session.row.record)
    if (plan === undefined) return
    const { focusOf, maxRecordingMb, version } = this.#deps
    const onError = (error: unknown): void => this.#report(session, error)
    const deps = { session, plan, focus: focusOf(session), maxBytes: maxRecordingMb * 1e6, version, onError }
    const recorder = Recorder.start(deps)
    this.#recorders.set(session, { plan, recorder })
    await abortable(recorder, AbortSignal.timeout(startTimeoutMs)).catch(onError)
  }

  /** Ends the recording of a session and stores it unless `keep` rules that out. */
  async finish(session: LiveSession, how: EndRequest, signal: AbortSignal): Promise<void> {
    const found = this.#recorders.get(session)
    if (found === undefined) return
    const recorder = await abortable(found.recorder, AbortSignal.timeout(startTimeoutMs))
    const recorded = await recorder.finish()
    const isKept = found.plan.keep === 'always' || isFailure(how)
    for (const { contents, name, ...details } of recorded) {
      if (!isKept) {
        contents.destroy()
        continue
      }
      const artifact = { ...this.#retention(), name, details, contents }
      // A failure must not affect the other files, nor leave this one open.
      await this.#deps.artifacts.store(session.row, artifact, signal).catch((error: unknown) => {
        contents.destroy()
        this.#deps.onError(error, `keeping ${name} of session ${session.row.id}`)
      })
    }
  }

  /** Lists the recordings of an ended session with their URLs. */
  async list(row: SessionRow, baseUrl: string): Promise<readonly Recording[]> {
    const kept = await this.#deps.artifacts.list({ sessionId: row.id, kind: 'recording' })
    const addressOf = (name: string): string =>
      `${baseUrl}/v2/browser/${row.id}/recordings/${name}?token=${recordingsToken(row)}`
    const files = kept.map((artifact) => ({
      name: artifact.name,
      contentType: detailsOf(artifact).contentType,
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

  #retention(): { readonly kind: 'recording'; readonly retentionMs: number } {
    return { kind: 'recording', retentionMs: this.#deps.recordingDays * dayMs }
  }

  #report(session: LiveSession, error: unknown): void {
    if (!session.ended.aborted) this.#deps.onError(error, `recording session ${session.row.id}`)
  }
}

/** Whether a token gives access to the recordings of a session. */
export function isRecordingsToken(row: SessionRow, token: string): boolean {
  return equalSecrets(recordingsToken(row), token)
}

function recordingsToken({ secret }: SessionRow): string {
  return deriveToken(secret, 'recordings')
}

function isFailure({ reason, hasFailed }: EndRequest): boolean {
  return hasFailed || reason === 'crashed' || reason === 'ttl' || reason === 'idle'
}
