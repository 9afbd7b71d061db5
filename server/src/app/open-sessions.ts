import { Artifacts } from '../artifacts/artifacts.ts'
import { startSweepingArtifacts } from '../artifacts/sweep-artifacts.ts'
import { PageFocus } from '../cdp/page-focus.ts'
import { ReadPauser } from '../cdp/read-pauser.ts'
import { CodeRunner, type CodeRunnerDeps } from '../execution/code-runner.ts'
import { UsageWatch } from '../execution/usage-watch.ts'
import type { IsolationLayers } from '../browsers/isolation.ts'
import type { ServerConfig } from '../config.ts'
import { Downloads } from '../files/downloads.ts'
import { keepFiles } from '../files/kept-files.ts'
import { SessionFiles, type FileLimits } from '../files/session-files.ts'
import { Handoffs } from '../handoff/handoffs.ts'
import { LiveView } from '../live/live-view.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { SessionSecrets } from '../secrets/session-secrets.ts'
import { Recordings } from '../recordings/recordings.ts'
import type { SessionComponents, SessionCore } from '../sessions/live-session.ts'
import type { EndRequest, SessionDeps } from '../sessions/session-deps.ts'
import { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { packageVersion } from '../version.ts'
import { viewerPolicy } from './viewer-policy.ts'

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

/** Settings of the sessions. */
export type SessionSettings = Pick<
  ServerConfig,
  'maxFiles' | 'maxFilesMb' | 'keptFilesHours' | 'recordingDays' | 'maxRecordingMb' | 'isolation' | 'execution'
>

/** Services that only the sessions use. */
export interface SessionServices {
  readonly blobs: Blobs
  readonly webhooks: SessionDeps['webhooks']
  readonly isolation: IsolationLayers
  readonly secrets: Secrets
}

/**
 * Creates the sessions, with the stores for what they leave behind. The caller disposes of the
 * sessions before the sockets close.
 */
export function openSessions(
  resources: AsyncDisposableStack,
  settings: SessionSettings,
  deps: Omit<SessionDeps, 'webhooks'>,
  { blobs, webhooks, isolation, secrets }: SessionServices,
): OpenSessions {
  const { maxFiles, maxFilesMb, keptFilesHours, recordingDays, maxRecordingMb } = settings
  const usage = resources.use(new UsageWatch())
  const isEnabled = settings.execution === 'on'
  const codeDeps = { isolation, allowsNoIsolation: settings.isolation === 'none', isEnabled, usage }
  const { store, browsers, profiles, extensions, prices, nodeId, maxSessions, metrics, onEnd, onError } = deps
  const artifacts = new Artifacts({ store, blobs, onError })
  resources.use(startSweepingArtifacts(store, artifacts, onError))
  const recordings = new Recordings({ artifacts, recordingDays, maxRecordingMb, version: packageVersion, onError })
  const sessions = new Sessions({
    store,
    browsers,
    profiles,
    extensions,
    prices,
    webhooks,
    nodeId,
    maxSessions,
    metrics,
    onEnd,
    onError,
    openComponents: (session) =>
      openComponents(session, { files: { maxFiles, maxFilesMb }, code: codeDeps, secrets }, onError),
    onStart: async (session) => {
      session.handoffs.onChange((handoff) => void webhooks.handoff(session.row, handoff))
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

interface ComponentDeps {
  readonly files: FileLimits
  readonly code: Pick<CodeRunnerDeps, 'isolation' | 'allowsNoIsolation' | 'isEnabled' | 'usage'>
  readonly secrets: Secrets
}

function openComponents(session: SessionCore, deps: ComponentDeps, onError: SessionDeps['onError']): SessionComponents {
  const { row, browser, ended, touch, suspendIdle, resources } = session
  const focus = new PageFocus()
  const files = new SessionFiles(session, deps.files)
  const downloads = resources.use(new Downloads(files, onError))
  const handoffs = resources.use(new Handoffs({ browser, focus, ended, suspendIdle }))
  const secrets = new SessionSecrets({ secrets: deps.secrets, teamId: row.teamId, router: browser.router })
  const liveView = resources.use(
    new LiveView({
      session: { browser, focus, handoffs, ended, touch, mask: secrets.mask },
      refuse: viewerPolicy(browser),
      onError: (error) => onError(error, `live view of session ${row.id}`),
    }),
  )
  const { isolation, allowsNoIsolation, isEnabled, usage } = deps.code
  const code = resources.use(
    new CodeRunner({
      sessionId: row.id,
      browser,
      ended,
      touch,
      suspendIdle,
      isolation,
      allowsNoIsolation,
      isEnabled,
      usage,
    }),
  )
  return { focus, code, files, downloads, handoffs, secrets, liveView, readPauser: new ReadPauser(browser.router) }
}

/** Whether a recording that is kept only on failure is kept. */
function hasFailed({ reason, hasFailed }: EndRequest): boolean {
  return hasFailed === true || reason === 'crashed' || reason === 'ttl' || reason === 'idle'
}
