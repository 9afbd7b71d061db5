import { BowlineError } from '../../kit/errors.ts'
import type { CompletedItem } from './checkpoint.ts'
import { keyOf, type ItemOptions, type Task } from './task.ts'

/**
 * Items that the work adds in a run with a checkpoint. The checkpoint stores them with the result
 * of the item that added them, since a later run does not repeat the work that added them.
 */
export class AddedItems<Item> {
  readonly #options: ItemOptions<Item>
  readonly #byTask = new WeakMap<Task<Item>, Map<string, Item>>()
  readonly #stored = new Set<string>()

  constructor(options: ItemOptions<Item>) {
    this.#options = options
  }

  /** Records an item that a task adds. Throws CONFIG_INVALID if JSON cannot represent it. */
  record(task: Task<Item>, item: Item): void {
    const key = keyOf(item, this.#options)
    if (this.#stored.has(key)) return
    assertStorable(item, key, this.#options)
    const items = this.#byTask.get(task) ?? new Map<string, Item>()
    this.#byTask.set(task, items.set(key, item))
  }

  /**
   * Returns the items to store with the result of a task, or `undefined` if there are none. Each
   * item is stored once, although many pages link to it.
   */
  take(task: Task<Item>): readonly Item[] | undefined {
    const items = [...(this.#byTask.get(task) ?? [])].filter(([key]) => !this.#stored.has(key))
    for (const [key] of items) this.#stored.add(key)
    return items.length === 0 ? undefined : items.map(([, item]) => item)
  }

  /** Returns the items that the work of a previous run added. */
  restore(before: CompletedItem): readonly Item[] {
    const items = (before.added ?? []) as readonly Item[]
    for (const item of items) this.#stored.add(keyOf(item, this.#options))
    return items
  }
}

function assertStorable<Item>(item: Item, key: string, options: ItemOptions<Item>): void {
  if (typeof item === 'string') return
  let restored: string | undefined
  try {
    restored = keyOf(JSON.parse(JSON.stringify(item)) as Item, options)
  } catch {
    // The function `key` of the caller needs more than JSON keeps of the item.
  }
  if (restored === key) return
  throw new BowlineError(
    'CONFIG_INVALID',
    `\`add()\` got an item that the checkpoint cannot store as JSON (its key is ${key})`,
    { hint: 'Add strings or plain objects.' },
  )
}
