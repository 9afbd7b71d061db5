import { abortable } from 'bowline/kit/abort'

/**
 * Runs a number of tasks at a time and shares the time fairly between owners. Of the owners that
 * wait, one with the fewest running tasks goes next, and among these the one that has used the
 * least time. So an owner with many slow tasks delays another one by at most one task.
 */
export class FairQueue {
  readonly #slots: number
  readonly #slotsPerOwner: number
  readonly #owners = new Map<string, Owner>()
  /** Time used by the owner that ran last. A returning owner starts at this level. */
  #levelMs = 0
  #running = 0

  /**
   * `slots`: tasks that run at the same time. Default: 1. `slotsPerOwner`: those of one owner, for
   * tasks that may take very long. Default: all.
   */
  constructor(slots = 1, slotsPerOwner = slots) {
    this.#slots = slots
    this.#slotsPerOwner = slotsPerOwner
  }

  /**
   * Runs `work` when it is the owner's turn. Rethrows its errors, and the signal's reason while it
   * waits.
   */
  async run<Result>(ownerId: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const owner = this.#ownerOf(ownerId)
    if (this.#running < this.#slots && this.#mayRun(owner)) this.#occupy(owner)
    else await this.#wait(owner, signal)
    this.#levelMs = Math.max(this.#levelMs, owner.usedMs)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      owner.usedMs += performance.now() - startedAt
      this.#leave(owner)
    }
  }

  #ownerOf(id: string): Owner {
    const known = this.#owners.get(id)
    if (known === undefined) {
      const owner: Owner = { usedMs: this.#levelMs, running: 0, waiting: [] }
      this.#owners.set(id, owner)
      return owner
    }
    // Owners earn no credit for idle time.
    if (known.waiting.length === 0) known.usedMs = Math.max(known.usedMs, this.#levelMs)
    return known
  }

  async #wait(owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>()
    owner.waiting.push(turn.resolve)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      const index = owner.waiting.indexOf(turn.resolve)
      if (index === -1) this.#leave(owner)
      else owner.waiting.splice(index, 1)
      throw error
    }
  }

  #mayRun(owner: Owner): boolean {
    return owner.running < this.#slotsPerOwner
  }

  #occupy(owner: Owner): void {
    owner.running += 1
    this.#running += 1
  }

  #leave(owner: Owner): void {
    owner.running -= 1
    this.#running -= 1
    let next: Owner | undefined
    for (const [id, each] of this.#owners) {
      if (each.waiting.length === 0) {
        if (each.running === 0 && each.usedMs <= this.#levelMs) this.#owners.delete(id)
      } else if (this.#mayRun(each) && (next === undefined || isBefore(each, next))) next = each
    }
    const resume = next?.waiting.shift()
    if (next !== undefined && resume !== undefined) {
      // The slot stays occupied until the next task has run.
      this.#occupy(next)
      return resume()
    }
    if (this.#running > 0) return
    this.#levelMs = 0
    this.#owners.clear()
  }
}

interface Owner {
  /** Milliseconds of work done. Raised to the level of the others when an idle owner returns. */
  usedMs: number
  running: number
  readonly waiting: (() => void)[]
}

function isBefore(a: Owner, b: Owner): boolean {
  return a.running === b.running ? a.usedMs < b.usedMs : a.running < b.running
}
