/**
 * Runs one task at a time and shares the time fairly between owners. The waiting owner that has
 * used the least time goes next, so an owner with many slow tasks delays another one by at most one
 * task.
 */
export class FairQueue {
  readonly #owners = new Map<string, Owner>()
  /** Time used by the owner that ran last. A returning owner starts at this level. */
  #levelMs = 0
  #isBusy = false

  /** Runs `work` when it is the owner's turn. Rethrows its errors. */
  async run<Result>(ownerId: string, work: () => Promise<Result>): Promise<Result> {
    const owner = this.#ownerOf(ownerId)
    if (this.#isBusy) await new Promise<void>((resolve) => owner.waiting.push(resolve))
    this.#isBusy = true
    this.#levelMs = Math.max(this.#levelMs, owner.usedMs)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      owner.usedMs += performance.now() - startedAt
      this.#next()
    }
  }

  #ownerOf(id: string): Owner {
    const known = this.#owners.get(id)
    if (known === undefined) {
      const owner: Owner = { usedMs: this.#levelMs, waiting: [] }
      this.#owners.set(id, owner)
      return owner
    }
    // Owners earn no credit for idle time.
    if (known.waiting.length === 0) known.usedMs = Math.max(known.usedMs, this.#levelMs)
    return known
  }

  #next(): void {
    let next: Owner | undefined
    for (const [id, owner] of this.#owners) {
      if (owner.waiting.length === 0) {
        if (owner.usedMs <= this.#levelMs) this.#owners.delete(id)
      } else if (next === undefined || owner.usedMs < next.usedMs) next = owner
    }
    const resume = next?.waiting.shift()
    // The queue stays busy until the next task has run.
    if (resume !== undefined) return resume()
    this.#isBusy = false
    this.#levelMs = 0
    this.#owners.clear()
  }
}

interface Owner {
  /** Milliseconds of work done. Raised to the level of the others when an idle owner returns. */
  usedMs: number
  readonly waiting: (() => void)[]
}
