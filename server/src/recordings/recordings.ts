import type { Recording } from 'bowline/contract/recordings'
import { abortable } from 'bowline/kit/abort'
import { deriveToken, equalSecrets } from 'bowline/kit/ids'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionEnding } from '../sessions/session-deps.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Focus } from './video-recorder.ts'
import { recordPlan, type RecordPlan } from './record-plan.ts'
import { Recorder } from './recorder.ts'
import { detailsOf, playerName } from './recording-row.ts'

/** What the recordings of a server are made with. */
export interface RecordingsDeps {
  readonly artifacts: Artifacts
  readonly recordingDays: number
  readonly maxRecordingMb: number
  readonly version: string
  readonly focusOf: (session: LiveSession) => Focus
  readonly onError: (error: unknown, what: string) => void
}

/** How long the start of a session waits for its recorder. */
const startTimeoutMs = 5000

const dayMs = 86_400_000

/** Records the sessions that ask for it, and keeps what was recorded for a time. */
export class Recordings {
  readonly #parts: RecordingsDeps
  readonly #recorders = new WeakMap<LiveSession, { readonly plan: RecordPlan; readonly recorder: Promise<Recorder> }>()

  constructor(parts: RecordingsDeps) {
    this.#parts = parts
  }

  /** Starts to record a session when it asks for it. Never rejects: a session without its recording is better than none. */
  async start(session: LiveSession): Promise<void> {
    const plan = recordPlan(session.row.record)
    if (plan === undefined) return
    const { focusOf, maxRecordingMb, version } = this.#parts
    const onError = (error: unknown): void => this.#report(session, error)
    const parts = { session, plan, focus: focusOf(session), maxBytes: maxRecordingMb * 1e6, version, onError }
    const recorder = Recorder.start(parts)
    this.#recorders.set(session, { plan, recorder })
    await abortable(recorder, AbortSignal.timeout(startTimeoutMs)).catch(onError)
  }

  /** Stores what was recorded of a session that ends, if it is to be kept. */
  async finish(session: LiveSession, how: SessionEnding, signal: AbortSignal): Promise<void> {
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
      const artifact = { ...this.#life(), name, details, contents }
      // One that cannot be stored must not take the others with it, nor hold their files open.
      await this.#parts.artifacts.keep(session.row, artifact, signal).catch((error: unknown) => {
        contents.destroy()
        this.#parts.onError(error, `keeping ${name} of session ${session.row.id}`)
      })
    }
  }

  /** What is there of an ended session, with the addresses to read it at. */
  async list(row: SessionRow, baseUrl: string): Promise<readonly Recording[]> {
    const kept = await this.#parts.artifacts.list({ sessionId: row.id, kind: 'recording' })
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

  #life(): { readonly kind: 'recording'; readonly lifeMs: number } {
    return { kind: 'recording', lifeMs: this.#parts.recordingDays * dayMs }
  }

  #report(session: LiveSession, error: unknown): void {
    if (!session.ended.aborted) this.#parts.onError(error, `recording session ${session.row.id}`)
  }
}

/** Whether a token opens the recordings of a session. */
export function opensRecordings(row: SessionRow, token: string): boolean {
  return equalSecrets(recordingsToken(row), token)
}

function recordingsToken({ secret }: SessionRow): string {
  return deriveToken(secret, 'recordings')
}

function isFailure({ reason, hasFailed }: SessionEnding): boolean {
  return hasFailed || reason === 'crashed' || reason === 'ttl' || reason === 'idle'
}
