import type { CreateSessionOptions } from '../../contract/browser.ts'
import type { FailureKind } from './outcome.ts'

/** How the items of a run are told apart. */
export interface ItemOptions<Item> {
  /** Options of the session for an item, over those of the pool: items with the same ones share sessions. */
  readonly session?: ((item: Item) => CreateSessionOptions) | undefined
  /** The host an item is for, or undefined for none. Default: that of the item, or of its `url`, when it is an address. */
  readonly host?: ((item: Item) => string | undefined) | undefined
  /** What names an item in the checkpoint. Default: the item as text, or as JSON. */
  readonly key?: ((item: Item) => string) | undefined
}

/** An item on its way. */
export interface Task<Item> {
  readonly index: number
  readonly item: Item
  readonly key: string
  readonly host: string | undefined
  readonly session: CreateSessionOptions
  /** The same for tasks that can share a session. */
  readonly sessionKey: string
  /** Name of the profile that its session writes, which only one at a time may. */
  readonly writes: string | undefined
  readonly failures: Readonly<Record<FailureKind, number>>
  /** Time of `performance.now()` before which it is not started. */
  readonly notBeforeMs: number
  /** Credits that the budget must have for it: when its session was cut off and not billed, more than that had. */
  readonly leastCredits: number
}

/** Makes the task of an item. */
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
    writes: merged.profile?.saveChanges === false ? undefined : merged.profile?.name,
    failures: { infrastructure: 0, page: 0 },
    notBeforeMs: 0,
    leastCredits: 0,
  }
}

/** How often the work was started on it so far. */
export function attemptsOf(task: Task<unknown>): number {
  return task.failures.infrastructure + task.failures.page
}

/** What names an item in the checkpoint. */
export function keyOf<Item>(item: Item, options: ItemOptions<Item>): string {
  if (options.key !== undefined) return options.key(item)
  return typeof item === 'string' ? item : JSON.stringify(item)
}

function hostOf(item: unknown): string | undefined {
  if (typeof item === 'string' || item instanceof URL) return URL.parse(String(item))?.host || undefined
  const url = typeof item === 'object' && item !== null && 'url' in item ? item.url : undefined
  return typeof url === 'string' || url instanceof URL ? hostOf(url) : undefined
}
