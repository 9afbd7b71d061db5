import type { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import type { Session } from '../client/session.ts'
import type { CreateSessionOptions } from '../contract/browser.ts'
import type { StorageState } from '../contract/profiles.ts'
import type { AttemptRecord } from './retry-guard.ts'
import type { TestSession } from './test-session.ts'

/** What may be set under `use` in the configuration of Playwright Test. */
export interface BowlineTestOptions {
  /** The service. Default: `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. */
  readonly bowlineOptions: BowlineOptions
  /** Whether the tests of a worker share a session, each in a context of its own, or each has one. Default `worker`. */
  readonly sessionPer: 'worker' | 'test'
  /** How sessions are created. */
  readonly sessionOptions: CreateSessionOptions
  /** Name of a profile whose cookies and storage every test starts with. Nothing is written to it. Default: none. */
  readonly profile: string | undefined
  /** How often a test that failed by itself is run again, within `retries`, which bounds lost sessions. Default 0. */
  readonly testRetries: number
}

/** What each test can ask for, beside the fixtures of Playwright Test. */
export interface TestFixtures {
  /** The session of the test. */
  readonly session: Session
  readonly testSession: TestSession
  readonly attemptRecord: AttemptRecord
}

/** What the tests of one worker share. */
export interface WorkerFixtures extends BowlineTestOptions {
  /** The client. */
  readonly bowline: Bowline
  readonly sharedSession: { readonly get: () => Promise<TestSession> }
  readonly profileState: StorageState | undefined
}
