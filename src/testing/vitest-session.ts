import type { TestContext } from 'vitest'
import { Bowline } from '../client/bowline.ts'
import type { BowlineOptions } from '../client/config.ts'
import { disconnect } from '../client/disconnect.ts'
import type { Driver } from '../client/driver.ts'
import type { Session, SessionBill } from '../client/session.ts'
import { sessionLimits, type CreateSessionOptions } from '../contract/session-options.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'
import { openWithRetries } from './open-with-retries.ts'

type Task = TestContext['task']

/** The session that the tests of a file share. */
export interface FileSession<Handles> extends AsyncDisposable {
  readonly session: Session
  /** Runs a test with its own page. Afterwards, the state of the task tells whether it failed. */
  readonly run: (task: Task, use: (handles: Handles) => Promise<void>) => Promise<void>
}

/** Options of the session of a test file. */
export interface FileSessionOptions<Handles> {
  readonly driver: Driver<Handles>
  readonly session?: CreateSessionOptions | undefined
  readonly bowline?: BowlineOptions | undefined
}

/** Use of the session by a failed test. */
interface Failure {
  readonly task: Task
  readonly startSeconds: number
}

/** Opens the session of a test file, which is its name. Disposing ends it and prints failures. */
export async function openFileSession<Handles>(
  { driver, session: options = {}, bowline: clientOptions = {} }: FileSessionOptions<Handles>,
  fileName: string,
): Promise<FileSession<Handles>> {
  await using undo = new AsyncDisposableStack()
  const bowline = undo.use(new Bowline(clientOptions))
  const named = { name: fileName.slice(-sessionLimits.name.max), ...options }
  const session = await openWithRetries(bowline.sessions, named, { onQueued: warnOfQueue })
  const openedAt = performance.now()
  const failures: Failure[] = []
  undo.defer(async () => {
    const bill = await session.end({ failed: failures.length > 0 })
    // Not those that passed on a retry, or are declared with `test.fails`.
    const unexpected = failures.filter(({ task }) => task.fails !== true && task.result?.state !== 'pass')
    if (unexpected.length === 0) return
    // The run must not fail because recordings cannot be listed.
    const kept = (options.record ?? false) === false ? [] : await session.recordings.list().catch(() => [])
    const player = kept.find(({ name }) => name === 'player.html')?.url
    console.error(describeFailures(unexpected, { fileName, bill, player }))
  })
  const connected = await driver.connect(session)
  undo.defer(async () => disconnect(connected))
  const reuse = driver.reuse?.(connected)
  let isFirst = true
  let running = 0
  let opening: Promise<unknown> = Promise.resolve()
  const open = async (): Promise<Handles> => {
    if (!isFirst && reuse !== undefined) return reuse.next({ keepsPages: running > 1 })
    isFirst = false
    return connected
  }
  /** Opens one page at a time, because opening a page may close others. */
  const next = async (): Promise<Handles> => {
    const handles = opening.then(open)
    opening = handles.catch(() => undefined)
    return handles
  }
  const owned = undo.move()
  return {
    session,
    run: async (task, use) => {
      running += 1
      try {
        const handles = await next()
        const startSeconds = (performance.now() - openedAt) / 1000
        await use(handles)
        if (task.result?.state === 'fail') failures.push({ task, startSeconds })
      } finally {
        running -= 1
      }
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

function warnOfQueue(): void {
  console.warn('Bowline: all sessions are in use. Waiting for one counts towards the test timeout.')
}

function describeFailures(
  failures: readonly Failure[],
  {
    fileName,
    bill,
    player,
  }: { readonly fileName: string; readonly bill: SessionBill; readonly player: string | undefined },
): string {
  const credits = bill.creditsBilled === undefined ? '' : `, ${bill.creditsBilled} credits`
  const lines = failures.map(({ task, startSeconds }) => {
    const link = player === undefined ? '' : `: ${player}#t=${startSeconds.toFixed(1)}`
    return `  ${fileName} › ${task.name} failed${link}`
  })
  return [`Bowline: session ${bill.sessionId}${credits}`, ...lines].join('\n')
}
