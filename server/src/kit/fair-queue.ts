interface Owner {
  /** Milliseconds of work done, raised to those of the others whenever the owner comes back. */
  usedMs: number
  readonly waiting: (() => void)[]
}

/**
 * Runs one piece of work at a time. Of the owners that wait, the one whose work has taken the least time is next: an owner
 * with much slow work delays another one by a single piece of it.
 */
export class FairQueue {
  readonly #owners = new Map<string, Owner>()
  /** Time used by the owner whose work ran last: what an owner that comes back is taken to have used. */
  #levelMs = 0
  #isBusy = false

  /** Runs `work` once it is the owner's turn. Throws what it throws. */
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
    // Time in which an owner had no work is not saved up.
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
    // The queue stays busy until whoever is next has run.
    if (resume !== undefined) return resume()
    this.#isBusy = false
    this.#levelMs = 0
    this.#owners.clear()
  }
}
