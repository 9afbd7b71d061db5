import type { RetireReason } from './outcome.ts'
import type { Task } from './task.ts'

/** Slot that holds the current task of a session, and the reason to end it. */
export interface TaskSlot<Item> {
  readonly task: () => Task<Item> | undefined
  readonly reason: () => RetireReason | undefined
  /** Whether the session waits for a task. */
  readonly isFree: () => boolean
  /** Whether the session was asked to end. */
  readonly isRetiring: () => boolean
  /** Assigns the next task. */
  readonly assign: (task: Task<Item>) => void
  /** Clears the task when it is done. */
  readonly clear: () => void
  /** Ends the session once it has no task. Only the first reason is kept. */
  readonly retire: (reason: RetireReason) => void
  /** Resolves to the next task, or `undefined` if the session should end. */
  readonly next: () => Promise<Task<Item> | undefined>
}

/** Creates a slot with a first task. `onFree` is called each time the session starts to wait. */
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
    assign: (next) => {
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
