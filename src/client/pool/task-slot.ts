import type { RetireReason } from './outcome.ts'
import type { Task } from './task.ts'

/** Where a session gets its tasks from, one at a time, and hears that it should end. */
export interface TaskSlot<Item> {
  readonly task: () => Task<Item> | undefined
  readonly reason: () => RetireReason | undefined
  /** Whether its session waits for a task. */
  readonly isFree: () => boolean
  /** Whether it was told to end. */
  readonly isRetiring: () => boolean
  readonly give: (task: Task<Item>) => void
  /** Takes the task away when it is done. */
  readonly clear: () => void
  /** Ends the session once it has no task. The first reason counts. */
  readonly retire: (reason: RetireReason) => void
  /** Waits for a task; undefined: the session should end. */
  readonly next: () => Promise<Task<Item> | undefined>
}

/** Makes a slot with a first task in it. `onFree` is called each time its session begins to wait. */
export function createTaskSlot<Item>(first: Task<Item>, onFree: () => void): TaskSlot<Item> {
  let task: Task<Item> | undefined = first
  let reason: RetireReason | undefined
  let wake: (() => void) | undefined
  const waitForTask = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    onFree()
    await promise
    wake = undefined
  }
  return {
    task: () => task,
    reason: () => reason,
    isFree: () => wake !== undefined && task === undefined && reason === undefined,
    isRetiring: () => reason !== undefined,
    give: (next) => {
      task = next
      wake?.()
    },
    clear: () => {
      task = undefined
    },
    retire: (why) => {
      reason ??= why
      wake?.()
    },
    next: async () => {
      if (task === undefined && reason === undefined) await waitForTask()
      return task
    },
  }
}
