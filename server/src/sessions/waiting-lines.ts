import type { Waiter } from './queued-request.ts'

/** Waiting requests by API key. Keys take turns, each with its oldest request. */
export class WaitingLines {
  /** The first key has the next turn. */
  readonly #lines = new Map<string, Waiter[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Counts the requests of a key. */
  sizeOf(apiKeyId: string): number {
    return this.#lines.get(apiKeyId)?.length ?? 0
  }

  /** Appends a request to the line of its key. */
  add(waiter: Waiter): void {
    const { apiKeyId } = waiter.request
    this.#lines.set(apiKeyId, [...(this.#lines.get(apiKeyId) ?? []), waiter])
    this.#size += 1
  }

  /** Removes a request. Does nothing if it is not in a line. */
  remove(waiter: Waiter): void {
    const { apiKeyId } = waiter.request
    const line = this.#lines.get(apiKeyId) ?? []
    const left = line.filter((each) => each !== waiter)
    this.#size -= line.length - left.length
    if (left.length === 0) this.#lines.delete(apiKeyId)
    else this.#lines.set(apiKeyId, left)
  }

  /** Moves a key behind all others, because it had its turn. */
  rotate(apiKeyId: string): void {
    const line = this.#lines.get(apiKeyId)
    this.#lines.delete(apiKeyId)
    if (line !== undefined) this.#lines.set(apiKeyId, line)
  }

  /**
   * Returns the positions of all requests, from 1, each among those that wait for the same slots.
   */
  positions(last?: Waiter): ReadonlyMap<Waiter, number> {
    const positions = new Map<Waiter, number>()
    const counts = new Map<string, number>()
    for (const waiter of this.inOrder(last)) {
      const slots = waiter.limitedBy === 'team' ? waiter.request.teamId : 'server'
      const position = (counts.get(slots) ?? 0) + 1
      counts.set(slots, position)
      positions.set(waiter, position)
    }
    return positions
  }

  /**
   * Lists the requests in the order of their turns, with `last` as the newest. Later changes do not
   * affect the list.
   */
  *inOrder(last?: Waiter): Generator<Waiter, void> {
    const lines = new Map(this.#lines)
    if (last !== undefined) {
      const { apiKeyId } = last.request
      lines.set(apiKeyId, [...(lines.get(apiKeyId) ?? []), last])
    }
    const longest = Math.max(0, ...[...lines.values()].map((line) => line.length))
    for (let round = 0; round < longest; round += 1) {
      for (const line of lines.values()) {
        const waiter = line[round]
        if (waiter !== undefined) yield waiter
      }
    }
  }
}
