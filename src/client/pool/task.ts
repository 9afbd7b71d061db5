import type { CreateSessionOptions } from '../../contract/session-options.ts'
import type { CompletedItem } from './checkpoint.ts'
import type { FailureKind, ItemDone } from './outcome.ts'

/**
 * Options of `pool.run()` that depend on the item.
 *
 * @example
 * ```ts
 * import { Bowline, type ItemOptions } from 'bowline'
 *
 * const options: ItemOptions<{ readonly url: string; readonly user: string }> = {
 *   session: ({ user }) => ({ profile: { name: user, saveChanges: false } }),
 *   host: ({ url }) => new URL(url).host,
 *   key: ({ url, user }) => `${user} ${url}`,
 * }
 * const items = [{ url: 'https://example.com', user: 'ann' }]
 * const run = new Bowline().pool().run(items, ({ url }) => url, options)
 * console.log(await run.done())
 * ```
 */
export interface ItemOptions<Item> {
  /**
   * Returns session options of an item, merged into those of the pool. Items with equal options
   * share sessions.
   */
  readonly session?: ((item: Item) => CreateSessionOptions) | undefined
  /**
   * Returns the host of an item for `perHost`, or `undefined` for none. Default: the host of the
   * item or of its `url` property.
   */
  readonly host?: ((item: Item) => string | undefined) | undefined
  /**
   * Returns the key of an item, used for deduplication and in the checkpoint. Default: the string
   * itself, or the item as JSON.
   */
  readonly key?: ((item: Item) => string) | undefined
}

/** An item that waits or runs. */
export interface Task<Item> {
  readonly index: number
  readonly item: Item
  readonly key: string
  readonly host: string | undefined
  readonly session: CreateSessionOptions
  /** Equal for tasks that can share a session. */
  readonly sessionKey: string
  /** Name of the profile that the session writes. Only one session at a time may write it. */
  readonly profileToWrite: string | undefined
  readonly failures: Readonly<Record<FailureKind, number>>
  /** `performance.now()` before which the task does not start. */
  readonly notBeforeMs: number
  /**
   * Credits that must be left in the budget, because a previous session of the task was stopped
   * with fewer.
   */
  readonly minCredits: number
}

/** Creates the task of an item. */
export function createTask<Item>(
  item: Item,
  index: number,
  session: CreateSessionOptions,
  options: ItemOptions<Item>,
): Task<Item> {
  const merged = { ...session, ...options.session?.(item) }
  return {
    index,
    item,
    key: keyOf(item, options),
    host: options.host === undefined ? hostOf(item) : options.host(item),
    session: merged,
    sessionKey: JSON.stringify(merged),
    profileToWrite: merged.profile?.saveChanges === false ? undefined : merged.profile?.name,
    failures: { infrastructure: 0, page: 0 },
    notBeforeMs: 0,
    minCredits: 0,
  }
}

/** Number of failed attempts so far. */
export function attemptsOf(task: Task<unknown>): number {
  return task.failures.infrastructure + task.failures.page
}

/** Returns the outcome of a completed task. */
export function doneOutcome<Item, Result>(
  { index, item }: Task<Item>,
  { result, attempts, durationMs }: CompletedItem,
  { isResumed }: { readonly isResumed: boolean },
): ItemDone<Item, Result> {
  return { state: 'done', index, item, result: result as Result, attempts, durationMs, isResumed }
}

/** Returns the key of an item. */
export function keyOf<Item>(item: Item, options: ItemOptions<Item>): string {
  if (options.key !== undefined) return options.key(item)
  return typeof item === 'string' ? item : JSON.stringify(item)
}

function hostOf(item: unknown): string | undefined {
  if (typeof item === 'string' || item instanceof URL) return URL.parse(String(item))?.host || undefined
  const url = typeof item === 'object' && item !== null && 'url' in item ? item.url : undefined
  return typeof url === 'string' || url instanceof URL ? hostOf(url) : undefined
}
