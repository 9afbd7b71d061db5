import { sleep } from 'bowline/kit/sleep'
import { mergeSignals } from 'bowline/kit/abort'
import { sql } from 'kysely'
import { fromKysely } from 'pg-boss'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import { messageOf } from 'bowline/kit/message-of'
import { asLookupOwner } from '../kit/lookup-owner.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { retryDuringOutage } from '../store/retry-during-outage.ts'
import { correctTimes, storeRetrySeconds } from './correct-times.ts'
import { fetchFairly, type StartedTask } from './fair-fetch.ts'
import { notifyQueue } from './pg-notify.ts'
import type { TaskQueuesDeps } from './task-queues-deps.ts'
import { queueTimings, type QueueTiming } from './queue-timing.ts'
import type { Queue } from './queue.ts'
import { InterruptibleSleep } from './interruptible-sleep.ts'
import { runTask, splitOrigin } from './task-origin.ts'

/** One attempt at a task. */
export interface Attempt {
  readonly taskId: string
  /** Number of the attempt, from 1. Includes attempts that a server crash ended. */
  readonly attempt: number
  /** Number of earlier failures, without server crashes. */
  readonly failures: number
  /** Aborted when the server stops or the attempt exceeds its time limit. */
  readonly signal: AbortSignal
}

/** Runs one task. If it throws, the task is retried. */
export type Handler<Data> = (data: Data, attempt: Attempt) => Promise<void>

/** Options of `TaskQueues.work`. */
export interface WorkOptions<Data> {
  /** Maximum tasks at a time on this server. */
  readonly concurrency: number
  /**
   * Called with a task whose last retry failed, or that crashed too many servers. If it throws, it
   * is called again later. Default: logs the error.
   */
  readonly onExhausted?: ((data: Data, error: unknown) => Promise<void>) | undefined
}

/** Dependencies of a `Worker`. */
export interface WorkerDeps<Data extends object> extends TaskQueuesDeps {
  readonly queue: Queue<Data>
  readonly options: WorkOptions<Data>
  readonly handler: Handler<Data>
}

/** Milliseconds between checks for tasks that crashed too many servers, or have wrong times. */
const checkMs = 60_000

/** Milliseconds per running task that a server waits before it fetches another one. */
const headStartMs = 25

interface RunningTask {
  /** Empty without a team. */
  readonly teamId: string
  readonly done: Promise<void>
}

/** Runs the tasks of one queue on this server. Disposing aborts and requeues them. */
export class Worker<Data extends object> implements AsyncDisposable {
  readonly #deps: WorkerDeps<Data>
  readonly #timing: QueueTiming
  readonly #idle = new InterruptibleSleep()
  readonly #stop = new AbortController()
  readonly #running = new Map<string, RunningTask>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #loop: Promise<void> | undefined

  constructor(deps: WorkerDeps<Data>) {
    this.#deps = deps
    this.#timing = queueTimings[deps.store.kind]
  }

  start(): void {
    const heartbeat = setInterval(() => void this.#sendHeartbeats(), this.#timing.heartbeatMs).unref()
    this.#timers.add(heartbeat)
    this.#loop = this.#work()
  }

  /** Polls for tasks now, or when they are due. */
  schedulePoll(startAfter?: Date | number): void {
    if (startAfter === undefined) return this.#idle.wake()
    const delayMs = typeof startAfter === 'number' ? startAfter * 1000 : startAfter.getTime() - Date.now()
    // 20 ms later, as the database compares with its own clock.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#idle.wake()
      },
      Math.min(longestTimerMs, Math.max(0, delayMs) + 20),
    ).unref()
    this.#timers.add(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The server is stopping'))
    for (const timer of this.#timers) clearTimeout(timer)
    this.#idle.wake()
    await this.#loop
    await Promise.all(Array.from(this.#running.values(), async ({ done }) => done))
  }

  async #work(): Promise<void> {
    let nextCheckMs = 0
    while (!this.#stop.signal.aborted) {
      if (performance.now() >= nextCheckMs) {
        await this.#failExhausted()
        await this.#correctTimes()
        nextCheckMs = performance.now() + checkMs
      }
      const tasks = await this.#fetch()
      for (const task of tasks) {
        const done = this.#attempt(task).finally(() => {
          this.#running.delete(task.id)
          this.#idle.wake()
        })
        this.#running.set(task.id, { teamId: task.groupId ?? '', done })
      }
      if (!this.#prefersIdleServers || tasks.length === 0) await this.#idle.sleep(this.#timing.pollMs)
      if (this.#prefersIdleServers && this.#running.size > 0) await this.#yieldToIdleServers()
    }
  }

  /** The embedded store has a single server, so spreading is pointless there. */
  get #prefersIdleServers(): boolean {
    const { queue, store } = this.#deps
    return queue.prefersIdleServers === true && queue.isSharedByTeams !== true && store.kind === 'postgres'
  }

  async #yieldToIdleServers(): Promise<void> {
    // Rejects when the worker stops, which the caller checks.
    await sleep(headStartMs * this.#running.size, this.#stop.signal).catch(() => undefined)
  }

  async #fetch(): Promise<readonly StartedTask<Data>[]> {
    const { boss, queue, options, onError } = this.#deps
    const freeSlots = options.concurrency - this.#running.size
    if (freeSlots === 0) return []
    const batchSize = this.#prefersIdleServers ? 1 : freeSlots
    try {
      if (queue.isSharedByTeams === true) return await this.#fetchFairly(freeSlots)
      return await boss.fetch<Data>(queue.name, { batchSize, includeMetadata: true })
    } catch (error) {
      onError(error, `fetching tasks of queue ${queue.name}`)
      return []
    }
  }

  async #fetchFairly(free: number): Promise<readonly StartedTask<Data>[]> {
    const { boss, queue } = this.#deps
    const held = new Map<string, number>()
    for (const { teamId } of this.#running.values()) held.set(teamId, (held.get(teamId) ?? 0) + 1)
    const { tasks, missedCount } = await fetchFairly<Data>(boss.getDb(), queue.name, { free, held })
    if (missedCount > 0) this.schedulePoll(0)
    return tasks
  }

  /** Never rejects. */
  async #attempt(task: StartedTask<Data>): Promise<void> {
    const { queue, handler, onError } = this.#deps
    const signal = mergeSignals(this.#stop.signal, AbortSignal.timeout(queue.expireSeconds * 1000))
    const attempt = { taskId: task.id, attempt: task.retryCount + 1, failures: failuresOf(task), signal }
    const failure = await this.#runAs(task, 'task', async (data) =>
      asTeam(task, async () => handler(data, attempt)),
    ).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    try {
      await retryDuringOutage(async () => this.#recordOutcome(task, failure), {
        signal: this.#stop.signal,
        everyMs: storeRetrySeconds * 1000,
        hasLastAttempt: true,
      })
    } catch (error) {
      // The task stays active. Its heartbeats stop, so it is requeued.
      onError(error, `recording the result of a task of queue ${queue.name}`)
    }
  }

  async #recordOutcome(task: StartedTask<Data>, failure: { readonly error: unknown } | undefined): Promise<void> {
    const { boss, queue } = this.#deps
    if (failure === undefined) await boss.complete(queue.name, task)
    else if (this.#stop.signal.aborted) await this.#requeue(task, 0)
    else if (isStoreUnavailable(failure.error)) await this.#requeue(task, storeRetrySeconds)
    else await this.#retryOrExhaust(task, failure.error)
  }

  /**
   * Requeues a task without counting the attempt, since it caused neither the shutdown nor the
   * store outage.
   */
  async #requeue(task: StartedTask<Data>, afterSeconds: number): Promise<void> {
    const { store, queue } = this.#deps
    await sql`
      update pgboss.job
      set state = 'retry', started_on = null, heartbeat_on = null, start_after = now() + make_interval(secs => ${afterSeconds}::double precision)
      where name = ${queue.name} and id = ${task.id} and state = 'active' and retry_count = ${task.retryCount}`.execute(
      store.db,
    )
    if (afterSeconds === 0) await notifyQueue(store.db, queue.name)
    else this.schedulePoll(afterSeconds)
  }

  async #retryOrExhaust(task: StartedTask<Data>, error: unknown): Promise<void> {
    const { boss, store, queue } = this.#deps
    const tries = failuresOf(task) + 1
    const output = { message: messageOf(error), tries }
    const startAfter = queue.retryDelaysSeconds?.[tries - 1]
    if (startAfter === undefined) {
      await this.#exhaust(task, error)
      await boss.complete(queue.name, task, output)
      return
    }
    await store.db.transaction().execute(async (transaction) => {
      const db = fromKysely(transaction)
      await boss.fail(queue.name, task, output, { db })
      await boss.update(queue.name, undefined, { id: task.id, startAfter, db })
    })
    this.schedulePoll(startAfter)
  }

  async #exhaust(task: Pick<StartedTask<Data>, 'data'>, error: unknown): Promise<void> {
    const { queue, options, onError } = this.#deps
    await this.#runAs(task, 'exhausted task', async (data) => {
      if (options.onExhausted === undefined) onError(error, `running a task of queue ${queue.name}`)
      await options.onExhausted?.(data, error)
    })
  }

  /** Runs a step of a task as part of the request that queued it. */
  async #runAs(
    { data: stored }: Pick<StartedTask<Data>, 'data'>,
    step: string,
    run: (data: Data) => Promise<void>,
  ): Promise<void> {
    const { queue, tracer } = this.#deps
    const { data, origin } = splitOrigin(stored)
    await runTask(tracer, { name: `${step} ${queue.name}`, origin }, async () => run(data))
  }

  /** Reports tasks that pg-boss has failed because they crashed too many servers. */
  async #failExhausted(): Promise<void> {
    const { boss, queue, onError } = this.#deps
    try {
      const { rows } = await boss
        .getDb()
        .executeSql(`select id, data from pgboss.job where name = $1 and state = 'failed'`, [queue.name])
      for (const { id, data } of rows as readonly { readonly id: string; readonly data: Data }[]) {
        await this.#exhaust({ data }, new Error('Every server that ran this task crashed'))
        await boss.deleteJob(queue.name, id)
      }
    } catch (error) {
      onError(error, `checking queue ${queue.name} for exhausted tasks`)
    }
  }

  async #correctTimes(): Promise<void> {
    const { store, queue, onError } = this.#deps
    try {
      if ((await correctTimes(store.db, queue)) === 0n) return
      // Each of them is due now, or after one of these delays.
      for (const seconds of [storeRetrySeconds, ...(queue.retryDelaysSeconds ?? [])]) this.schedulePoll(seconds)
    } catch (error) {
      onError(error, `checking the times of queue ${queue.name}`)
    }
  }

  async #sendHeartbeats(): Promise<void> {
    const { boss, store, queue, onError } = this.#deps
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    await boss
      .touch(queue.name, ids, { db: fromKysely(store.heartbeatDb) })
      .catch((error: unknown) => onError(error, `sending heartbeats of queue ${queue.name}`))
  }
}

/** Counts the name lookups of a task for its team. */
async function asTeam({ groupId }: Pick<StartedTask<object>, 'groupId'>, run: () => Promise<void>): Promise<void> {
  return groupId ? asLookupOwner(groupId, run) : run()
}

/** Counts how often the handler of a task has thrown. Crashed servers leave no such output. */
function failuresOf({ output }: Pick<StartedTask<object>, 'output'>): number {
  const tries: unknown = 'tries' in (output ?? {}) ? (output as { readonly tries: unknown }).tries : undefined
  return typeof tries === 'number' ? tries : 0
}
