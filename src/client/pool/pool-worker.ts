import { sessionLimits, type CreateSessionOptions } from '../../contract/session-options.ts'
import { mergeSignals } from '../../kit/abort.ts'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import { warnDeletionFailed } from '../deletion.ts'
import type { Session, SessionBill } from '../session.ts'
import type { Sessions } from '../sessions.ts'
import { withSession, type SessionScope, type WithSessionDeps, type WorkSignals } from '../with-session.ts'
import { runAttempt, type PoolFunction } from './attempt.ts'
import type { Budget } from './budget.ts'
import { createDriftMeter } from './drift.ts'
import { startCostMeter, type CostMeter } from './cost-meter.ts'
import type { PoolSettings } from './options.ts'
import type { RetireReason } from './outcome.ts'
import {
  classifyFailure,
  isSessionGone,
  retireReasonAfterUse,
  renew,
  type AttemptResult,
  type FailedAttempt,
} from './after-attempt.ts'
import { createTaskSlot, type TaskSlot } from './task-slot.ts'
import type { Task } from './task.ts'

/** Parts of a client that a pool uses. */
export interface PoolClient extends Pick<WithSessionDeps, 'opener' | 'handleSignals'> {
  readonly sessions: Pick<Sessions, 'get' | 'delete'>
}

/** A session of a pool, from before its creation to after its deletion. */
export interface PoolWorker<Item> extends Pick<TaskSlot<Item>, 'isFree' | 'isRetiring' | 'assign' | 'retire'> {
  readonly sessionKey: string
  /** Name of the profile that the session writes. */
  readonly profileToWrite: string | undefined
}

/** Result of an ended worker. */
export interface PoolWorkerEnd<Item> {
  readonly reason: RetireReason
  /** Number of attempts on the session. */
  readonly uses: number
  /** `undefined` if no session was created, or the creation is still in progress. */
  readonly bill: SessionBill | undefined
  /** Credits of a session whose creation was requested but not confirmed. It will be billed. */
  readonly unconfirmedCredits: number
  /** Error of the session, as opposed to the work. */
  readonly failure: { readonly error: unknown } | undefined
  /** Task that was assigned but not completed. */
  readonly unfinishedTask: Task<Item> | undefined
}

/** Dependencies of a worker. */
export interface PoolWorkerDeps<Item, Result, Handles> {
  readonly client: PoolClient
  readonly settings: PoolSettings<Handles>
  readonly work: PoolFunction<Item, Result, Handles>
  readonly budget: Budget
  /** Aborts when the run ends. */
  readonly signal: AbortSignal
  /** Adds an item found by the work on a task. */
  readonly add: (task: Task<Item>, item: Item) => boolean
  /** Called as soon as the service has created the session. */
  readonly onCreated: (session: Session) => void
  /** Called when the session is connected. */
  readonly onOpened: (session: Session) => void
  /** Called when the bill is known. */
  readonly onBilled: (bill: SessionBill) => void
  /** Called when the process receives a signal. */
  readonly onAborted: (reason: unknown) => void
  /** Resolves when the limits of the host allow the task to begin. */
  readonly waitForHost: (task: Task<Item>, signal: AbortSignal) => Promise<void>
  readonly onCompleted: (task: Task<Item>, completed: AttemptResult<Awaited<Result>>) => void
  readonly onFree: () => void
  readonly onEnded: (worker: PoolWorker<Item>, end: PoolWorkerEnd<Item>) => void
}

/** Opens a session for a first task. The minimum price must be reserved already. */
export function openPoolWorker<Item, Result, Handles>(
  deps: PoolWorkerDeps<Item, Result, Handles>,
  first: Task<Item>,
): PoolWorker<Item> {
  const worker = new SessionWorker(deps, first)
  void worker.run()
  return worker
}

class SessionWorker<Item, Result, Handles> implements PoolWorker<Item> {
  readonly sessionKey: string
  readonly profileToWrite: string | undefined
  readonly isFree: TaskSlot<Item>['isFree']
  readonly isRetiring: TaskSlot<Item>['isRetiring']
  readonly assign: TaskSlot<Item>['assign']
  readonly retire: TaskSlot<Item>['retire']
  readonly #deps: PoolWorkerDeps<Item, Result, Handles>
  readonly #session: CreateSessionOptions
  readonly #slot: TaskSlot<Item>
  readonly #meter: CostMeter
  readonly #overBudget = new AbortController()
  readonly #signal: AbortSignal
  #bill: SessionBill | undefined
  #uses = 0
  #hasFailed = false
  #hasEnded = false
  #minCredits = 0

  constructor(deps: PoolWorkerDeps<Item, Result, Handles>, first: Task<Item>) {
    this.#deps = deps
    this.#session = first.session
    this.#signal = mergeSignals(deps.signal, this.#overBudget.signal)
    this.#slot = createTaskSlot(first, deps.onFree)
    this.#meter = startCostMeter({
      budget: deps.budget,
      price: deps.settings.price,
      isIdle: () => this.#slot.task() === undefined,
      onIdle: () => this.retire('idle'),
      onOverBudget: (reserved) => {
        this.#minCredits = reserved + 1
        this.retire('budget')
        this.#overBudget.abort(new BowlineError('ABORTED', 'The budget of the pool is spent'))
      },
    })
    this.sessionKey = first.sessionKey
    this.profileToWrite = first.profileToWrite
    this.isFree = this.#slot.isFree
    this.isRetiring = this.#slot.isRetiring
    this.assign = this.#slot.assign
    this.retire = this.#slot.retire
  }

  async run(): Promise<void> {
    const failure = await this.#useSession()
    const reason = this.#slot.reason() ?? (this.#deps.signal.aborted ? 'stopped' : 'failure')
    const bill = this.#bill
    // Three cases: billed (there is a bill), not created (costs nothing), and unconfirmed: a session
    // that was still being created when its run was aborted. It will be billed.
    const isUnconfirmed = bill === undefined && this.#signal.aborted
    const credits = this.#meter.settle(bill === undefined && !isUnconfirmed ? 0 : bill?.creditsBilled)
    const task = this.#slot.task()
    // A session that cost nothing leaves the budget unchanged. Without a minimum, the task would be
    // stopped by the budget again and again.
    const unfinishedTask = credits === 0 && task !== undefined ? { ...task, minCredits: this.#minCredits } : task
    const unconfirmedCredits = isUnconfirmed ? credits : 0
    this.#deps.onEnded(this, { reason, uses: this.#uses, bill, unconfirmedCredits, failure, unfinishedTask })
  }

  async #useSession(): Promise<PoolWorkerEnd<Item>['failure']> {
    const { client, settings, onBilled, onCreated } = this.#deps
    const onEnd = (bill: SessionBill): void => {
      // A session that was created after its run had ended already counts as unconfirmed.
      if (this.#hasEnded) return
      this.#bill = bill
      onBilled(bill)
    }
    try {
      await withSession<void, Handles>(
        { ...client, onCreated, hasFailed: () => this.#hasFailed },
        { ...this.#session, driver: settings.driver, signal: this.#signal, onEnd },
        (scope, signals) => this.#processTasks(scope, signals),
      )
      return undefined
    } catch (error) {
      // The work succeeded, and the run may be over: a warning is the only way to report this.
      if (isBowlineError(error) && error.code === 'DELETE_FAILED') {
        warnDeletionFailed(error)
        return undefined
      }
      return this.#overBudget.signal.aborted ? undefined : { error }
    } finally {
      this.#hasEnded = true
      this.#meter[Symbol.dispose]()
    }
  }

  /** Runs one task after another until the session should end. */
  async #processTasks(scope: SessionScope & Handles, { aborted, lost }: WorkSignals): Promise<void> {
    const { settings, work, add, onOpened, onAborted, onCompleted, waitForHost } = this.#deps
    onOpened(scope.session)
    aborted.addEventListener('abort', () => {
      if (!this.#overBudget.signal.aborted) onAborted(aborted.reason)
    })
    lost.addEventListener('abort', () => this.retire('failure'))
    const expiresAtMs = performance.now() + 1000 * (this.#session.ttl ?? sessionLimits.ttl.default)
    const driftMeter = createDriftMeter(settings.maxDrift)
    const reuse = settings.driver?.reuse?.(scope)
    const failureSignal = mergeSignals(lost, reuse?.failureSignal)
    const { timeoutMs } = settings
    let handles: Handles = scope
    for (let task = await this.#slot.next(); task !== undefined; task = await this.#slot.next()) {
      await waitForHost(task, aborted)
      // The task stays in the slot, so that another session begins with it.
      if (lost.aborted) return
      const current = { ...scope, ...handles, session: scope.session, signal: aborted }
      const attempt = await runAttempt(work, task, current, {
        timeoutMs,
        add: (item) => add(task, item),
        failureSignal,
        hasDriver: settings.driver !== undefined,
      })
      if (attempt.state === 'stopped') return
      const isDone = attempt.state === 'done'
      this.#hasFailed ||= !isDone
      this.#uses += 1
      if (isDone) {
        this.#slot.clear()
        // Deliver before the next page is opened, so that the result survives a crash of the process.
        onCompleted(task, attempt)
      }
      const renewed = await renew(attempt, handles, { reuse, failureSignal, driftMeter })
      handles = renewed.handles
      const facts = { uses: this.#uses, expiresAtMs, attempt, meter: this.#meter, settings }
      const reason = renewed.reason ?? retireReasonAfterUse(facts)
      if (reason !== undefined) this.retire(reason)
      if (!isDone) {
        const isSessionLost = renewed.reason === 'failure'
        // A driver with a failure signal has already reported a lost session.
        const isReported = reuse !== undefined
        await this.#completeFailed(task, attempt, { session: scope.session, aborted, isSessionLost, isReported })
      }
      if (aborted.aborted) return
    }
  }

  /**
   * Classifies a failed attempt and frees the slot. A task whose session was aborted stays in it.
   */
  async #completeFailed(
    task: Task<Item>,
    attempt: FailedAttempt,
    facts: {
      readonly session: Session
      readonly aborted: AbortSignal
      readonly isSessionLost: boolean
      /** Whether `isSessionLost` is certain. Otherwise, the service is asked. */
      readonly isReported: boolean
    },
  ): Promise<void> {
    const { client, onCompleted } = this.#deps
    const { session, aborted, isSessionLost, isReported } = facts
    const failed = await classifyFailure(attempt, {
      isSessionLost,
      isSessionGone: async () => !isReported && isSessionGone(client.sessions, session, aborted),
    })
    if (aborted.aborted) return
    if (failed.kind === 'infrastructure') this.retire('failure')
    this.#slot.clear()
    onCompleted(task, failed)
  }
}
