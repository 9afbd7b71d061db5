import { Artifacts } from '../artifacts/artifacts.ts'
import { startSweepingArtifacts } from '../artifacts/sweep-artifacts.ts'
import type { ServerConfig } from '../config.ts'
import { keepFiles } from '../files/kept-files.ts'
import { Shelves } from '../files/shelves.ts'
import { Sessions, type SessionParts } from '../sessions/sessions.ts'
import type { Blobs } from '../store/blobs.ts'

/** The sessions of this server, and what they leave. */
export interface OpenSessions {
  readonly sessions: Sessions
  readonly shelves: Shelves
  readonly artifacts: Artifacts
}

/** What of a session is not stored by then is lost. */
const keepingTimeoutMs = 300_000

/** Builds the sessions with what outlives them; the caller disposes of the sessions, before the sockets go. */
export const openSessions = (
  undo: AsyncDisposableStack,
  config: ServerConfig,
  parts: SessionParts & { readonly blobs: Blobs },
): OpenSessions => {
  const { store, onError } = parts
  const shelves = new Shelves(config, onError)
  const artifacts = new Artifacts(parts)
  undo.use(startSweepingArtifacts(store, artifacts, onError))
  const sessions = new Sessions({
    ...parts,
    onStart: shelves.open,
    onEnding: async (session) =>
      keepFiles({ shelves, artifacts, ...config }, session, AbortSignal.timeout(keepingTimeoutMs)),
  })
  return { sessions, shelves, artifacts }
}
