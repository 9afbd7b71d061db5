import { openSource, type Source } from './source.ts'

/** Dependencies of an input queue. */
export interface InputQueueDeps<Item> {
  readonly keyOf: (item: Item) => string
  readonly hasRoom: () => boolean
  /** Returns the items that a previous run added while it worked on this one. */
  readonly onItem: (item: Item, index: number) => readonly Item[]
  readonly onEnd: () => void
  readonly onError: (error: unknown) => void
}

/** Reads the items of a run as they are needed. */
export class InputQueue<Item> implements AsyncDisposable {
  readonly #deps: InputQueueDeps<Item>
  readonly #source: Source<Item>
  readonly #keys = new Set<string>()
  /**
   * Items added by previous runs. They are read when there is room, like the source, since their
   * results may not fit into memory.
   */
  readonly #restored: Item[] = []
  #nextIndex = 0
  #isSourceDone = false
  #isPulling = false
  #isEnqueuing = false
  #isRestoring = false

  /** Creates the input queue of a run. Throws CONFIG_INVALID if `items` is not iterable. */
  constructor(items: Iterable<Item> | AsyncIterable<Item>, deps: InputQueueDeps<Item>) {
    this.#deps = deps
    this.#source = openSource(items)
  }

  /** Reads items while there is room. */
  pull(): void {
    this.#restore()
    void this.#pullSource()
  }

  /** Adds an item found by the work. Returns false if an item with its key was added before. */
  add(item: Item): boolean {
    if (this.#keys.has(this.#deps.keyOf(item))) return false
    this.#enqueue(item)
    this.#restore()
    return true
  }

  /** Whether no item is left to read. */
  isDone(): boolean {
    return this.#isSourceDone && this.#restored.length === 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isSourceDone = true
    // A source that hangs would block this forever. `pull` closes it when its item arrives.
    if (!this.#isPulling) await this.#source.close()
  }

  async #pullSource(): Promise<void> {
    if (this.#isPulling || this.#isSourceDone) return
    this.#isPulling = true
    try {
      while (this.#deps.hasRoom()) {
        const { value, done } = await this.#source.next()
        // The run ended while the source was producing this item.
        if (this.#isSourceDone) return await this.#source.close()
        if (done === true) {
          this.#isSourceDone = true
          return this.#deps.onEnd()
        }
        this.#enqueue(value)
        this.#restore()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isPulling = false
    }
  }

  #restore(): void {
    if (this.#isEnqueuing || this.#isRestoring || this.#restored.length === 0) return
    this.#isRestoring = true
    try {
      while (this.#restored.length > 0 && this.#deps.hasRoom()) {
        const item = this.#restored.shift() as Item
        if (!this.#keys.has(this.#deps.keyOf(item))) this.#enqueue(item)
      }
    } catch (error) {
      return this.#fail(error)
    } finally {
      this.#isRestoring = false
    }
    if (this.isDone()) this.#deps.onEnd()
  }

  #enqueue(item: Item): void {
    const key = this.#deps.keyOf(item)
    // `onItem` may pull, which must not use the same index.
    this.#isEnqueuing = true
    try {
      for (const added of this.#deps.onItem(item, this.#nextIndex)) this.#restored.push(added)
      // Last, so that an item whose options throw leaves no gap in the order.
      this.#nextIndex += 1
      this.#keys.add(key)
    } finally {
      this.#isEnqueuing = false
    }
  }

  #fail(error: unknown): void {
    this.#isSourceDone = true
    this.#deps.onError(error)
  }
}
