import { sessionLimits } from '../../contract/browser.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Session } from '../session.ts'
import type { SessionBill } from '../session-bill.ts'
import type { Sessions } from '../sessions.ts'
import { withSession, type Work, type WithSessionDeps } from '../with-session.ts'
import { runAttempt, type PoolFunction } from './attempt.ts'
import type { Budget } from './budget.ts'
import { createSlowdownMeter } from './slowdown.ts'
import { startCostMeter, type CostMeter } from './cost-meter.ts'
import type { PoolSettings } from './options.ts'
import type { RetireReason } from './outcome.ts'
import { hasEnded, judge, reasonOfUse, renew, type Completed } from './completed.ts'
import { createTaskSlot, type TaskSlot } from './task-slot.ts'
import type { Task } from './task.ts'

/** One session of a pool, from before its creation to after its deletion. */
export interface PoolWorker<Item> extends Pick<TaskSlot<Item>, 'isFree' | 'isRetiring' | 'give' | 'retire'> {
  readonly sessionKey: string
  /** Name of the profile it writes. */
  readonly writes: string | undefined
}

/** How a lane ended. */
export interface PoolWorkerEnd<Item> {
  readonly reason: RetireReason
  readonly uses: number
  /** Absent when no session was opened, or is not yet. */
  readonly bill: SessionBill | undefined
  /** Credits of a session that was asked for and will be billed, but has not been heard of. */
  readonly unheard: number
  /** What the session, and not the work, failed with. */
  readonly failure: { readonly error: unknown } | undefined
  /** The task that it had and did not finish. */
  readonly left: Task<Item> | undefined
}

/** What a lane needs of its run. */
export interface PoolWorkerDeps<Item, Result, Handles> {
  readonly client: WithSessionDeps
  readonly settings: PoolSettings<Handles>
  readonly work: PoolFunction<Item, Result, Handles>
  readonly budget: Budget
  /** Aborts when the run is over. */
  readonly signal: AbortSignal
  readonly add: (item: Item) => boolean
  /** Called as soon as the service has made the session. */
  readonly onCreated: (session: Session) => void
  /** Called when the session is connected. */
  readonly onOpened: (session: Session) => void
  /** Called when its bill is known. */
  readonly onBilled: (bill: SessionBill) => void
  /** Called when the process is told to end. */
  readonly onLeaving: (reason: unknown) => void
  /** Resolves when the work on a task may begin. */
  readonly turn: (task: Task<Item>, signal: AbortSignal) => Promise<void>
  readonly onCompleted: (task: Task<Item>, completed: Completed<Awaited<Result>>) => void
  readonly onFree: () => void
  readonly onEnded: (worker: PoolWorker<Item>, end: PoolWorkerEnd<Item>) => void
}

/** Opens a session for a first task; the least it costs must be reserved already. */
export function openPoolWorker<Item, Result, Handles>(
  deps: PoolWorkerDeps<Item, Result, Handles>,
  first: Task<Item>,
): PoolWorker<Item> {
  const { settings } = deps
  const short = new AbortController()
  const slot = createTaskSlot(first, deps.onFree)
  let bill: SessionBill | undefined
  let uses = 0
  let hasFailed = false
  let hasEnded = false
  let leastCredits = 0
  const meter = startCostMeter({
    budget: deps.budget,
    price: settings.price,
    isIdle: () => slot.task() === undefined,
    onIdle: () => slot.retire('idle'),
    onShort: (reserved) => {
      leastCredits = reserved + 1
      slot.retire('budget')
      short.abort(new BowlineError('ABORTED', 'The budget of the pool is spent'))
    },
  })
  const worker: PoolWorker<Item> = { ...slot, sessionKey: first.sessionKey, writes: first.writes }
  const signal = AbortSignal.any([deps.signal, short.signal])
  const run = async (): Promise<PoolWorkerEnd<Item>['failure']> => {
    const onEnd = (ended: SessionBill): void => {
      // One that was made after the run had given it up counts as unheard of already.
      if (hasEnded) return
      bill = ended
      deps.onBilled(ended)
    }
    const onUse = (isDone: boolean): number => {
      hasFailed ||= !isDone
      return (uses += 1)
    }
    try {
      const options = { ...first.session, driver: settings.driver, signal, onEnd }
      const client = { ...deps.client, sessions: told(deps), hasFailed: () => hasFailed }
      const service = { first, slot, meter, onUse, isShort: () => short.signal.aborted }
      await withSession<void, Handles>(client, options, (scope) => serve(deps, service, scope))
      return undefined
    } catch (error) {
      return short.signal.aborted ? undefined : { error }
    } finally {
      hasEnded = true
      meter[Symbol.dispose]()
    }
  }
  void run().then((failure) => {
    const reason = slot.reason() ?? (deps.signal.aborted ? 'stopped' : 'trouble')
    // A session that is still being created when its run is aborted will be billed.
    const isUnheard = bill === undefined && signal.aborted
    const credits = meter.settle(bill === undefined && !isUnheard ? 0 : bill?.creditsBilled)
    const task = slot.task()
    // What costs nothing leaves the budget as it was, and would be cut off by it for ever.
    const left = credits === 0 && task !== undefined ? { ...task, leastCredits } : task
    deps.onEnded(worker, { reason, uses, bill, unheard: isUnheard ? credits : 0, failure, left })
  })
  return worker
}

/** The sessions of the client; the run hears of each before anything is done with it. */
function told({ client, onCreated }: Pick<PoolWorkerDeps<never, never, never>, 'client' | 'onCreated'>): Sessions {
  return {
    ...client.sessions,
    create: async (...how) => {
      const session = await client.sessions.create(...how)
      onCreated(session)
      return session
    },
  }
}

interface Service<Item> {
  readonly first: Task<Item>
  readonly slot: TaskSlot<Item>
  readonly meter: CostMeter
  /** Counts a use, whose work was done or has failed. */
  readonly onUse: (isDone: boolean) => number
  /** Whether the session is stopped because the budget is spent. */
  readonly isShort: () => boolean
}

/** Works on one task after another, until the session should end. */
async function serve<Item, Result, Handles>(
  deps: PoolWorkerDeps<Item, Result, Handles>,
  { first, slot, meter, onUse, isShort }: Service<Item>,
  scope: Work & Handles,
): Promise<void> {
  deps.onOpened(scope.session)
  scope.signal.addEventListener('abort', () => {
    if (!isShort()) deps.onLeaving(scope.signal.reason)
  })
  const { settings } = deps
  const expiresAtMs = performance.now() + 1000 * (first.session.ttl ?? sessionLimits.ttl.default)
  const drift = createSlowdownMeter(settings.maxDrift)
  const reuse = settings.driver?.reuse?.(scope)
  let handles: Handles = scope
  for (let task = await slot.next(); task !== undefined; task = await slot.next()) {
    await deps.turn(task, scope.signal)
    const current = { ...scope, ...handles, session: scope.session, signal: scope.signal }
    const attempt = await runAttempt(deps.work, task, current, {
      timeoutMs: settings.timeoutMs,
      add: deps.add,
      failureSignal: reuse?.failureSignal,
    })
    if (attempt.state === 'stopped') return
    const isDone = attempt.state === 'done'
    const uses = onUse(isDone)
    if (isDone) {
      slot.clear()
      // Before the next page is opened, so that what is done is not lost with the process.
      deps.onCompleted(task, attempt)
    }
    const renewed = await renew(attempt, handles, reuse, drift)
    handles = renewed.handles
    const reason = renewed.reason ?? reasonOfUse({ uses, expiresAtMs, attempt, meter, settings })
    if (reason !== undefined) slot.retire(reason)
    if (isDone) continue
    const failed = await judge(attempt, {
      isSessionLost: renewed.reason === 'trouble',
      // A driver that can tell has done so.
      askService: async () => reuse === undefined && hasEnded(deps.client.sessions, scope.session, scope.signal),
    })
    // Its session was ended meanwhile, and the task goes back with it.
    if (scope.signal.aborted) return
    if (failed.kind === 'infrastructure') slot.retire('trouble')
    slot.clear()
    deps.onCompleted(task, failed)
  }
}
