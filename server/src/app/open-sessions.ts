import { Artifacts } from '../artifacts/artifacts.ts'
import { startSweepingArtifacts } from '../artifacts/sweep-artifacts.ts'
import { ReadPauser } from '../cdp/read-pauser.ts'
import type { ServerConfig } from '../config.ts'
import { Downloads } from '../files/downloads.ts'
import { keepFiles } from '../files/kept-files.ts'
import { SessionFiles, type FileLimits } from '../files/session-files.ts'
import { Recordings } from '../recordings/recordings.ts'
import type { SessionComponents, SessionCore } from '../sessions/live-session.ts'
import { PageFocus } from '../sessions/page-focus.ts'
import type { EndRequest, SessionDeps } from '../sessions/session-deps.ts'
import { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { packageVersion } from '../version.ts'

/** Sessions of this server, with what they leave behind. */
export interface OpenSessions {
  readonly sessions: Sessions
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
  { maxFiles, maxFilesMb, keptFilesHours, recordingDays, maxRecordingMb }: ServerConfig,
  deps: SessionDeps & { readonly blobs: Blobs },
): OpenSessions {
  const { store, blobs, browsers, profiles, prices, nodeId, maxSessions, onEnd, onError } = deps
  const artifacts = new Artifacts({ store, blobs })
  resources.use(startSweepingArtifacts(store, artifacts, onError))
  const recordings = new Recordings({ artifacts, recordingDays, maxRecordingMb, version: packageVersion, onError })
  const sessions = new Sessions({
    store,
    browsers,
    profiles,
    prices,
    nodeId,
    maxSessions,
    onEnd,
    onError,
    openComponents: (session) => openComponents(session, { maxFiles, maxFilesMb }, onError),
    onStart: async (session) => {
      session.recording = await recordings.start(session, session.focus, session.resources)
    },
    onEnding: async (session, how) => {
      const { row, files, recording } = session
      const signal = AbortSignal.timeout(storeTimeoutMs)
      const outcomes = await Promise.allSettled([
        keepFiles({ row, files }, { artifacts, keptFilesHours }, signal),
        recording && recordings.finish(row, recording, { hasFailed: hasFailed(how), signal }),
      ])
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') onError(outcome.reason, `storing files and recordings of session ${row.id}`)
      }
    },
  })
  return { sessions, artifacts, recordings }
}

function openComponents(session: SessionCore, limits: FileLimits, onError: SessionDeps['onError']): SessionComponents {
  const files = new SessionFiles(session, limits)
  const downloads = session.resources.use(new Downloads(files, onError))
  return { focus: new PageFocus(), files, downloads, readPauser: new ReadPauser(session.browser.router) }
}

/** Whether a recording that is kept only on failure is kept. */
function hasFailed({ reason, hasFailed }: EndRequest): boolean {
  return hasFailed === true || reason === 'crashed' || reason === 'ttl' || reason === 'idle'
}
