import { Artifacts } from '../artifacts/artifacts.ts'
import { startSweepingArtifacts } from '../artifacts/sweep-artifacts.ts'
import type { ServerConfig } from '../config.ts'
import { keepFiles } from '../files/kept-files.ts'
import { SessionFileStore } from '../files/session-file-store.ts'
import type { Focus } from '../recordings/video-recorder.ts'
import { Recordings } from '../recordings/recordings.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionDeps } from '../sessions/session-deps.ts'
import { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../store/blobs.ts'
import { packageVersion } from '../version.ts'

/** Sessions of this server, with their files, artifacts and recordings. */
export interface OpenSessions {
  readonly sessions: Sessions
  readonly sessionFileStore: SessionFileStore
  readonly artifacts: Artifacts
  readonly recordings: Recordings
}

/**
 * Time to store the files and recordings of a session that ends. Data not stored by then is lost.
 */
const storeTimeoutMs = 300_000

/**
 * Creates the sessions, with the stores for what they leave behind. The caller disposes of the
 * sessions before the sockets close.
 */
export function openSessions(
  resources: AsyncDisposableStack,
  config: ServerConfig,
  deps: SessionDeps & { readonly blobs: Blobs; readonly focusOf: (session: LiveSession) => Focus },
): OpenSessions {
  const { store, onError } = deps
  const sessionFileStore = new SessionFileStore(config, onError)
  const artifacts = new Artifacts(deps)
  resources.use(startSweepingArtifacts(store, artifacts, onError))
  const recordings = new Recordings({ ...deps, ...config, artifacts, version: packageVersion })
  const sessions = new Sessions({
    ...deps,
    onStart: async (session) => {
      sessionFileStore.open(session)
      await recordings.start(session)
    },
    onEnding: async (session, how) => {
      if (!session.row.keepFiles && session.row.record === undefined) return
      const signal = AbortSignal.timeout(storeTimeoutMs)
      const kept = keepFiles({ sessionFileStore, artifacts, ...config }, session, signal)
      const outcomes = await Promise.allSettled([kept, recordings.finish(session, how, signal)])
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          onError(outcome.reason, `storing files and recordings of session ${session.row.id}`)
      }
    },
  })
  return { sessions, sessionFileStore, artifacts, recordings }
}
