import type { SessionBrowser } from './session-browser.ts'
import type { PageFocus } from '../cdp/page-focus.ts'
import type { ReadPauser } from '../cdp/read-pauser.ts'
import type { Downloads } from '../files/downloads.ts'
import type { CodeRunner } from '../execution/code-runner.ts'
import type { SessionFiles } from '../files/session-files.ts'
import type { Handoffs } from '../handoff/handoffs.ts'
import type { LiveView } from '../live/live-view.ts'
import type { SessionRecording } from '../recordings/recordings.ts'
import type { SessionSecrets } from '../secrets/session-secrets.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { SessionAge } from './session-clock.ts'

/** The browser and the lifetime of a session, with which its components work. */
export interface SessionCore extends SessionAge {
  readonly row: SessionRow
  readonly browser: SessionBrowser
  /** `traceparent` of its creation. `undefined` without tracing. */
  readonly traceparent?: string | undefined
  /** Aborts when the session ends. The reason is its EndReason. */
  readonly ended: AbortSignal
  /** Closes the components when the browser is stopped. */
  readonly resources: AsyncDisposableStack
}

/** Components that each session has. */
export interface SessionComponents {
  readonly focus: PageFocus
  readonly code: CodeRunner
  readonly files: SessionFiles
  readonly downloads: Downloads
  readonly handoffs: Handoffs
  readonly secrets: SessionSecrets
  readonly liveView: LiveView
  readonly readPauser: ReadPauser
}

/** A session whose browser runs on this node. */
export interface LiveSession extends SessionCore, SessionComponents {
  /** Replaced when the session is changed. */
  row: SessionRow
  /** Set once the session is recorded. */
  recording: SessionRecording | undefined
}
