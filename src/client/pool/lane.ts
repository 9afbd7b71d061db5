import { sessionLimits } from '../../contract/browser.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Session } from '../session.ts'
import type { SessionBill } from '../session-bill.ts'
import type { Sessions } from '../sessions.ts'
import { withSession, type Work, type WithSessionParts } from '../with-session.ts'
import { runAttempt, type PoolFunction } from './attempt.ts'
import type { Budget } from './budget.ts'
import { createDriftMeter } from './drift.ts'
import { startMeter, type Meter } from './meter.ts'
import type { PoolSettings } from './options.ts'
import type { RetireReason } from './outcome.ts'
import { hasEnded, judge, reasonOfUse, renew, type Served } from './served.ts'
import { createSlot, type Slot } from './slot.ts'
import type { Task } from './task.ts'

/** One session of a pool, from before its creation to after its deletion. */
export interface Lane<Item> extends Pick<Slot<Item>, 'isFree' | 'isRetiring' | 'give' | 'retire'> {
  readonly sessionKey: string
  /** Name of the profile it writes. */
  readonly writes: string | undefined
}

/** How a lane ended. */
export interface LaneEnd<Item> {
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
export interface LaneParts<Item, Result, Handles> {
  readonly client: WithSessionParts
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
  readonly onServed: (task: Task<Item>, served: Served<Awaited<Result>>) => void
  readonly onFree: () => void
  readonly onEnded: (lane: Lane<Item>, end: LaneEnd<Item>) => void
}

/** Opens a session for a first task; the least it costs must be reserved already. */
export function openLane<Item, Result, Handles>(
  parts: LaneParts<Item, Result, Handles>,
  first: Task<Item>,
): Lane<Item> {
  const { settings } = parts
  const short = new AbortController()
  const slot = createSlot(first, parts.onFree)
  let bill: SessionBill | undefined
  let uses = 0
  let hasFailed = false
  let hasEnded = false
  let leastCredits = 0
  const meter = startMeter({
    budget: parts.budget,
    price: settings.price,
    isIdle: () => slot.task() === undefined,
    onIdle: () => slot.retire('idle'),
    onShort: (reserved) => {
      leastCredits = reserved + 1
      slot.retire('budget')
      short.abort(new BowlineError('ABORTED', 'The budget of the pool is spent'))
    },
  })
  const lane: Lane<Item> = { ...slot, sessionKey: first.sessionKey, writes: first.writes }
  const signal = AbortSignal.any([parts.signal, short.signal])
  const run = async (): Promise<LaneEnd<Item>['failure']> => {
    const onEnd = (ended: SessionBill): void => {
      // One that was made after the run had given it up counts as unheard of already.
      if (hasEnded) return
      bill = ended
      parts.onBilled(ended)
    }
    const onUse = (isDone: boolean): number => {
      hasFailed ||= !isDone
      return (uses += 1)
    }
    try {
      const options = { ...first.session, driver: settings.driver, signal, onEnd }
      const client = { ...parts.client, sessions: told(parts), hasFailed: () => hasFailed }
      const service = { first, slot, meter, onUse, isShort: () => short.signal.aborted }
      await withSession<void, Handles>(client, options, (scope) => serve(parts, service, scope))
      return undefined
    } catch (error) {
      return short.signal.aborted ? undefined : { error }
    } finally {
      hasEnded = true
      meter[Symbol.dispose]()
    }
  }
  void run().then((failure) => {
    const reason = slot.reason() ?? (parts.signal.aborted ? 'stopped' : 'trouble')
    // A session that is still being created when its run is aborted will be billed.
    const isUnheard = bill === undefined && signal.aborted
    const credits = meter.settle(bill === undefined && !isUnheard ? 0 : bill?.creditsBilled)
    const task = slot.task()
    // What costs nothing leaves the budget as it was, and would be cut off by it for ever.
    const left = credits === 0 && task !== undefined ? { ...task, leastCredits } : task
    parts.onEnded(lane, { reason, uses, bill, unheard: isUnheard ? credits : 0, failure, left })
  })
  return lane
}

/** The sessions of the client; the run hears of each before anything is done with it. */
function told({ client, onCreated }: Pick<LaneParts<never, never, never>, 'client' | 'onCreated'>): Sessions {
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
  readonly slot: Slot<Item>
  readonly meter: Meter
  /** Counts a use, whose work was done or has failed. */
  readonly onUse: (isDone: boolean) => number
  /** Whether the session is stopped because the budget is spent. */
  readonly isShort: () => boolean
}

/** Works on one task after another, until the session should end. */
async function serve<Item, Result, Handles>(
  parts: LaneParts<Item, Result, Handles>,
  { first, slot, meter, onUse, isShort }: Service<Item>,
  scope: Work & Handles,
): Promise<void> {
  parts.onOpened(scope.session)
  scope.signal.addEventListener('abort', () => {
    if (!isShort()) parts.onLeaving(scope.signal.reason)
  })
  const { settings } = parts
  const expiresAtMs = performance.now() + 1000 * (first.session.ttl ?? sessionLimits.ttl.default)
  const drift = createDriftMeter(settings.maxDrift)
  const reuse = settings.driver?.reuse?.(scope)
  let handles: Handles = scope
  for (let task = await slot.next(); task !== undefined; task = await slot.next()) {
    await parts.turn(task, scope.signal)
    const current = { ...scope, ...handles, session: scope.session, signal: scope.signal }
    const attempt = await runAttempt(parts.work, task, current, {
      timeoutMs: settings.timeoutMs,
      add: parts.add,
      trouble: reuse?.trouble,
    })
    if (attempt.state === 'stopped') return
    const isDone = attempt.state === 'done'
    const uses = onUse(isDone)
    if (isDone) {
      slot.clear()
      // Before the next page is opened, so that what is done is not lost with the process.
      parts.onServed(task, attempt)
    }
    const renewed = await renew(attempt, handles, reuse, drift)
    handles = renewed.handles
    const reason = renewed.reason ?? reasonOfUse({ uses, expiresAtMs, attempt, meter, settings })
    if (reason !== undefined) slot.retire(reason)
    if (isDone) continue
    const failed = await judge(attempt, {
      isSessionLost: renewed.reason === 'trouble',
      // A driver that can tell has done so.
      askService: async () => reuse === undefined && hasEnded(parts.client.sessions, scope.session, scope.signal),
    })
    // Its session was ended meanwhile, and the task goes back with it.
    if (scope.signal.aborted) return
    if (failed.kind === 'infrastructure') slot.retire('trouble')
    slot.clear()
    parts.onServed(task, failed)
  }
}
